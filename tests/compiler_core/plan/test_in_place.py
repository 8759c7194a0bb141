"""New values of inputs: which kernels store them over their inputs, and what is copied instead."""

import numpy as np
import pytest
import torch

from compiler_core.backends.registry import running
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.interop.arrays import numpy_to_torch, torch_to_numpy
from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.library import Callee
from compiler_core.ir.parse import parse
from compiler_core.ir.types import F32, TensorType
from compiler_core.pipeline.one_graph import plan_of
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.steps import COPY
from compiler_core.runtime import cpu
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_CPU, ON_GPU
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

N = 24
SQUARE = TensorType(F32, (N, N))


def planned(graph, replaced, on=ON_CPU):
    costs = cost.CPU if on is ON_CPU else cost.GPU
    return build_plan(fuse(values_of(graph), costs), on, replaced=replaced)


def program(count, outputs):
    """A graph of `count` squares a, b, ...; `outputs` gives its results for them."""
    b = Builder()
    given = [b.parameter(SQUARE, name) for name in "abcd"[:count]]
    return b.graph("f", outputs(b, *given))


def copies(plan):
    return [x.step.name for x in plan.launches if x.step.ops == (COPY,)]


def squares(count, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal((N, N)).astype(np.float32) for _ in range(count)]


def check(graph, replaced, arrays):
    """The C program changes those arguments, and gives what the graph says."""
    expected = eval_numpy.evaluate(graph, arrays)
    tensors = [numpy_to_torch(x.copy()) for x in arrays]
    found = cpu.build(planned(graph, replaced))(tensors)
    compare(replaced, arrays, expected, map(torch_to_numpy, found), map(torch_to_numpy, tensors))


def compare(replaced, arrays, expected, found, given):
    after = dict(enumerate(arrays)) | {i: expected[k] for k, i in replaced}
    for k, (ours, theirs) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4, err_msg=f"output {k}")
    for i, x in enumerate(given):
        np.testing.assert_allclose(x, after[i], rtol=1e-4, atol=1e-4, err_msg=f"input {i}")


def lags(b, a):
    """Each element is the one before it in its row."""
    cut = b.node("slice", a, start=(0, 0), limit=(N, N - 1), strides=(1, 1))
    return b.node("pad", cut, b.scalar(0, F32), low=(0, 1), high=(0, 0), interior=(0, 0))


def of_rows(b, a):
    return b.broadcast_in_dim(b.reduce(a, "add", (1,)), (N, N), (0,))


IN_PLACE = {
    "its own element": lambda b, a, g: [b.node("subtract", a, g)],
    "another input": lambda b, a, g: [b.node("negate", g)],
    "turned, of another": lambda b, a, g: [b.transpose(g, (1, 0))],
    "a number": lambda b, a, g: [b.scalar(0, F32, (N, N))],
    "a product of others": lambda b, a, g: [b.node("add", a, b.node("tanh", g))],
    "turned and turned back": lambda b, a, g: [
        b.transpose(b.node("exponential", b.transpose(a, (1, 0))), (1, 0))
    ],
}
COPIED = {
    "turned": lambda b, a, g: [b.transpose(a, (1, 0))],
    "its neighbour": lambda b, a, g: [b.node("add", a, lags(b, a))],
    "of its rows": lambda b, a, g: [b.node("subtract", a, of_rows(b, a))],
    "another input itself": lambda b, a, g: [g],
    "itself": lambda b, a, g: [a],
    "returned as well": lambda b, a, g: [*[b.node("add", a, g)] * 2],
    "a product": lambda b, a, g: [b.dot_general(a, g, contract=((1,), (0,)))],
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_a_kernel_stores_over_an_input_of_which_each_point_reads_its_own_element(name):
    graph = program(2, IN_PLACE[name])
    plan = planned(graph, [(0, 0)])
    assert [*plan.over.values()] == ["in_a"]
    (launch,) = plan.launches
    assert {b.name for b in launch.step.outputs} == {*plan.over}
    check(graph, [(0, 0)], squares(2))


@pytest.mark.parametrize("name", COPIED)
def test_what_reads_otherwise_is_copied_by_a_launch_of_its_own(name):
    graph = program(2, COPIED[name])
    plan = planned(graph, [(0, 0)])
    last = plan.launches[-1].step
    assert (last.ops, {b.name for b in last.outputs}) == ((COPY,), {*plan.over})
    check(graph, [(0, 0)], squares(2))


def test_two_inputs_change_places():
    graph = program(2, lambda b, x, y: [y, x])
    check(graph, [(0, 0), (1, 1)], squares(2))


def test_what_was_there_before_may_be_returned():
    graph = program(2, lambda b, a, g: [a, b.node("add", a, g), b.reshape(a, (N * N,))])
    plan = planned(graph, [(1, 0)])
    first, last = plan.launches
    assert first.step.ops == (COPY,)
    assert plan.over == {last.step.outputs[0].name: "in_a"}
    check(graph, [(1, 0)], squares(2))


def test_a_later_launch_that_reads_the_old_value_keeps_it():
    def step(b, a, g):
        new = b.node("add", a, b.node("tanh", g))
        return [new, b.dot_general(b.node("multiply", new, new), a, contract=((1,), (0,)))]

    graph = program(2, step)
    assert copies(planned(graph, [(0, 0)]))
    check(graph, [(0, 0)], squares(2))


def test_a_later_launch_may_read_the_new_value_where_it_lies():
    def step(b, a, g):
        new = b.node("add", a, b.node("tanh", g))
        return [new, b.dot_general(new, g, contract=((1,), (0,)))]

    graph = program(2, step)
    assert not copies(planned(graph, [(0, 0)]))
    check(graph, [(0, 0)], squares(2))


def test_several_inputs_of_one_kernel_are_written_over_together():
    def adam(b, p, m, v, g):
        m = b.node("add", b.node("multiply", m, b.scalar(0.9, F32, (N, N))), g)
        v = b.node("maximum", v, b.node("multiply", g, g))
        scaled = b.node("divide", m, b.node("add", b.node("sqrt", v), b.scalar(1, F32, (N, N))))
        return [b.node("subtract", p, scaled), m, v]

    graph, replaced = program(4, adam), [(0, 0), (1, 1), (2, 2)]
    plan = planned(graph, replaced)
    (_,) = plan.launches
    assert sorted(plan.over.values()) == ["in_a", "in_b", "in_c"]
    check(graph, replaced, squares(4))


def test_an_element_is_not_written_over_before_another_result_has_read_it():
    """`b.copy_(a); a.zero_()`, and a's new value may be stored first."""
    for order in ([(0, 0), (1, 1)], [(1, 1), (0, 0)]):
        graph = program(2, lambda b, x, y: [b.scalar(0, F32, (N, N)), b.node("negate", x)])
        check(graph, order, squares(2))


def fails(x):
    raise RuntimeError("half way")


def test_where_a_library_call_may_end_the_call_inputs_are_as_they_were():
    b = Builder()
    x, y = b.parameter(SQUARE, "x"), b.parameter(SQUARE, "y")
    called = b.library_call(Callee("fails", "torch", "", fails), [y], [SQUARE])
    graph = b.graph("f", [b.node("negate", x), *called])
    compiled = cpu.build(planned(graph, [(0, 0)]))
    given = [torch.ones(N, N), torch.ones(N, N)]
    with pytest.raises(RuntimeError, match="half way"):
        compiled(given)
    assert torch.equal(given[0], torch.ones(N, N))


def test_an_argument_with_gaps_is_changed_all_the_same():
    graph = program(2, IN_PLACE["its own element"])
    whole = torch.arange(4.0 * N * N).reshape(2 * N, 2 * N)
    a, g = whole[::2, ::2], torch.ones(N, N)
    expected = whole.clone()
    expected[::2, ::2] -= 1
    cpu.build(planned(graph, [(0, 0)]))([a, g])
    assert torch.equal(whole, expected)


def test_the_text_says_what_lies_where():
    graph = program(2, IN_PLACE["its own element"])
    plan = planned(graph, [(0, 0)])
    (launch,), (name,) = plan.launches, plan.over
    text = cpu.build(plan).source.text
    assert f"float *{name}" in text
    assert "const float *in_a" in text
    assert "const float *restrict in_b" in text
    head, *_ = launch.step.lines()
    assert f"out {name}: f32[{N},{N}] over in_a" in head[0]


def test_a_result_in_an_input_s_memory_takes_none_of_the_arena():
    plan = planned(program(2, IN_PLACE["its own element"]), [(0, 0)])
    assert plan.arena_bytes == 0


def test_equal_launches_share_a_function_only_where_they_lie_alike():
    graph = program(4, lambda b, p, q, g, h: [b.node("add", p, g), b.node("add", q, h)])
    check(graph, [(0, 0)], squares(4))
    check(graph, [(0, 0), (1, 1)], squares(4))


def test_a_scalar_that_counts_is_written_over_behind_all_that_read_it():
    b = Builder()
    t, x = b.parameter(TensorType(F32, ()), "t"), b.parameter(SQUARE, "x")
    new = b.node("add", t, b.scalar(1, F32))
    graph = b.graph("f", [new, b.node("divide", x, b.broadcast(new, (N, N)))])
    arrays = [np.float32(3).reshape(()), squares(1)[0]]
    check(graph, [(0, 0), (1, 1)], arrays)


def test_symbolic_sizes_are_written_over_too():
    graph = parse("""graph f[B=8 in 2..] (%0: f32[B,4], %1: f32[B,4]) {
      %2 = add(%0, %1): f32[B,4]
      return %2
    }""")
    plan = plan_of(graph, running("cpu"), replaced=[(0, 0)])
    compiled = cpu.build(plan)
    for rows in (3, 8, 5):
        x, y = torch.rand(rows, 4), torch.rand(rows, 4)
        expected = x + y
        compiled([x, y])
        torch.testing.assert_close(x, expected)


# -- any program


def randomly(seed):
    """A graph over four squares, and which of its outputs are new values of which inputs."""
    rng = np.random.default_rng(seed)
    b = Builder()
    given = [b.parameter(SQUARE, name) for name in "abcd"]
    values = list(given)

    def some():
        return values[int(rng.integers(max(0, len(values) - 5), len(values)))]

    ways = [
        lambda: b.node("add", some(), some()),
        lambda: b.node("multiply", some(), b.scalar(0.5, F32, (N, N))),
        lambda: b.node("tanh", some()),
        lambda: b.node("subtract", some(), some()),
        lambda: b.transpose(some(), (1, 0)),
        lambda: lags(b, some()),
        lambda: of_rows(b, b.node("tanh", some())),
        lambda: b.dot_general(b.node("tanh", some()), some(), contract=((1,), (1,))),
        lambda: b.scalar(2, F32, (N, N)),
    ]
    weights = np.array([6, 3, 3, 6, 2, 2, 2, 1, 1.0])
    for _ in range(int(rng.integers(2, 9))):
        values.append(ways[rng.choice(len(ways), p=weights / weights.sum())]())
    inputs = rng.permutation(4)[: int(rng.integers(1, 5))]
    outputs = [values[int(rng.integers(len(values)))] for _ in range(len(inputs) + 1)]
    places = rng.permutation(len(outputs))[: len(inputs)]
    replaced = [(int(k), int(i)) for k, i in zip(places, inputs, strict=True)]
    return b.graph("f", outputs), replaced


@pytest.mark.parametrize("seed", thinned(range(60), kept=range(12)))
def test_any_program_changes_its_inputs_as_it_says(seed):
    check(*randomly(seed), squares(4, seed))


@pytest.mark.parametrize("seed", thinned(range(30), kept=range(5)))
def test_the_same_in_triton(interpreter_process, seed):
    graph, replaced = randomly(seed)
    arrays = squares(4, seed)
    plan = planned(graph, replaced, ON_GPU)
    work = interpreter_process.submit(interpreter.execute_writing, plan, arrays)
    found, given = work.result(timeout=60)
    compare(replaced, arrays, eval_numpy.evaluate(graph, arrays), found, given)


@pytest.mark.parametrize("name", [*IN_PLACE, *COPIED])
def test_each_way_in_triton(interpreter_process, name):
    graph, arrays = program(2, (IN_PLACE | COPIED)[name]), squares(2)
    plan = planned(graph, [(0, 0)], ON_GPU)
    assert bool(copies(plan)) == (name in COPIED or name == "turned, of another")
    work = interpreter_process.submit(interpreter.execute_writing, plan, arrays)
    found, given = work.result(timeout=60)
    compare([(0, 0)], arrays, eval_numpy.evaluate(graph, arrays), found, given)
