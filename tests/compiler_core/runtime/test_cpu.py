"""Programs on the CPU: steps in C and by the framework, inputs checked, outputs fresh."""

import gc
import time

import numpy as np
import pytest
import torch

from compiler_core.errors import MeasureError
from compiler_core.interop.arrays import numpy_to_torch, torch_to_numpy
from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.library import Callee
from compiler_core.ir.types import BF16, F32, F64, I64
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.build import Draft, planned
from compiler_core.plan.steps import Matmul
from compiler_core.runtime import cpu
from compiler_core.runtime.memory import SMALL_BYTES
from conformance.operations import cases
from tests.compiler_core.codegen.c.graphs import doubled, gelu, plan_of, run, tensor_type
from tests.compiler_core.plans import ON_CPU

pytestmark = pytest.mark.cpu


@pytest.fixture(scope="module")
def large() -> cpu.Executable:
    return doubled(512, 1024)


# -- calls


def test_executable_says_how_it_was_made(large):
    assert large.command.startswith("gcc -O3") and " doubled.c" in large.command
    assert "static void" in large.source.text
    assert large.compile_ms > 0


def test_outputs_are_never_memory_that_is_still_seen(large):
    x = torch.rand(512, 1024)
    kept = [large([x])[0] for _ in range(3)]
    views = [large([x * i])[0][5] for i in range(3)]
    arrays = [large([x * i])[0].numpy() for i in range(3)]
    storages = [large([x * i])[0].untyped_storage() for i in range(3)]
    for _ in range(5):
        large([x * 100])
    for i in range(3):
        assert torch.equal(kept[i], 2 * x)
        assert torch.equal(views[i], 2 * (x * i)[5])
        np.testing.assert_array_equal(arrays[i], 2 * (x * i).numpy())
        seen = torch.empty(0).set_(storages[i], 0, (512, 1024), (1024, 1))
        assert torch.equal(seen, 2 * (x * i))


def test_freed_memory_is_used_again(large):
    x = torch.rand(512, 1024)
    assert x.nbytes >= SMALL_BYTES
    gc.collect()
    first = large([x])[0].data_ptr()
    assert large([x])[0].data_ptr() == first


def test_outputs_are_aligned_for_jax(large):
    small = doubled(3)
    assert large([torch.rand(512, 1024)])[0].data_ptr() % 64 == 0
    assert small([torch.rand(3)])[0].data_ptr() % 64 == 0


def test_strided_and_offset_inputs_are_read_right():
    program = doubled(5, 7)
    base = torch.rand(71)
    for x in (base[:35].view(7, 5).t(), base[1:36].view(5, 7), base[:70].view(10, 7)[::2]):
        assert torch.equal(program([x])[0], 2 * x)


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (torch.rand(3, 4), r"input in0 is float32\[3, 4\] on cpu, .* for float32\[5, 7\]"),
        (torch.rand(5, 7, dtype=torch.float64), r"input in0 is float64\[5, 7\]"),
        (torch.rand(5, 7, device="meta"), "on meta"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(x, said):
    with pytest.raises(MeasureError, match=said):
        doubled(5, 7)([x])


def test_inputs_of_another_form_than_before_are_looked_at_anew():
    program, base = doubled(5, 7), torch.rand(70)
    for x in (base[:35].view(5, 7), base[:35].view(7, 5).t(), base[35:].view(5, 7)) * 2:
        assert torch.equal(program([x])[0], 2 * x)
    with pytest.raises(MeasureError, match="for float32"):
        program([torch.rand(7, 5)])
    with pytest.raises(MeasureError, match="takes 1 inputs, not 2"):
        program([torch.rand(5, 7)] * 2)


def test_inputs_of_the_same_form_as_before_are_told_at_once(monkeypatch):
    program, x = doubled(5, 7), torch.rand(5, 7)
    program([x])
    for asked in ("is_contiguous", "shape", "dtype", "is_cpu"):
        monkeypatch.setattr(torch.Tensor, asked, property(_unasked))
    (found,) = program([x])
    monkeypatch.undo()
    assert torch.equal(found, 2 * x)


def _unasked(x):
    raise AssertionError("a tensor was asked once more what is known of it")


def test_a_wrong_number_of_inputs_is_refused():
    with pytest.raises(MeasureError, match="takes 1 inputs, not 2"):
        doubled(2)([torch.rand(2)] * 2)


def test_scalars_go_in_and_out():
    b = Builder()
    x = b.parameter(tensor_type(()))
    program = cpu.build(plan_of(b.graph("f", [b.node("tanh", x)])))
    (y,) = program([torch.tensor(0.5)])
    assert y.shape == () and y.item() == pytest.approx(np.tanh(0.5))


def test_an_input_or_output_that_is_returned_once_more_is_a_copy():
    b = Builder()
    x = b.parameter(tensor_type((2, 3)))
    y = b.node("negate", x)
    program = cpu.build(plan_of(b.graph("f", [x, y, b.reshape(y, (6,))])))
    given = torch.rand(2, 3)
    same, first, second = program([given])
    assert torch.equal(same, given) and same.data_ptr() != given.data_ptr()
    first.zero_()
    assert torch.equal(second, -given.view(6))


# -- matrix products


def test_no_operand_of_a_product_by_itself_is_copied():
    """A batch of one was one: torch copied the transposed weight at every call."""
    b = Builder()
    x, weight = (b.parameter(tensor_type(shape, BF16)) for shape in ((128, 256), (1024, 256)))
    product = b.dot_general(x, weight, contract=((1,), (1,)))
    built = cpu.build(plan_of(b.graph("linear", [product])))
    inputs = [torch.rand(128, 256).bfloat16(), torch.rand(1024, 256).bfloat16()]
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        built(inputs)
    called = {event.key for event in profile.key_averages()}
    assert "aten::mm" in called and not called & {"aten::bmm", "aten::copy_"}


@pytest.mark.parametrize("dtype", [F32, F64, BF16, I64], ids=str)
def test_matmul_in_every_layout(dtype):
    some = [
        Matmul(
            f"m{i}", dtype, 3, 5, 6, 7, *_sides(i, dtype, lhs, rhs, transposed), *transposed,
            lhs_batched=lhs, rhs_batched=rhs,
        )
        for i, (lhs, rhs, transposed) in enumerate(
            (lhs, rhs, (a, b))
            for lhs in (True, False) for rhs in (True, False)
            for a in (True, False) for b in (True, False)
        )
    ]  # fmt: skip
    params = [(s.lhs, s.rhs, s.out) for s in some]
    buffers = {p.name: p.type for three in params for p in three}
    inputs = tuple(p.name for three in params for p in three[:2])
    outputs = tuple(p.out.name for p in some)
    types = tuple(buffers[n] for n in outputs)
    plan = planned(Draft("m", {n: buffers[n] for n in inputs}, outputs, types), some, ON_CPU)
    arrays = [cases.random(buffers[n].dtype, buffers[n].shape, i) for i, n in enumerate(inputs)]
    results = cpu.build(plan)([numpy_to_torch(x) for x in arrays])
    for step, (x, y), got in zip(
        some, zip(arrays[::2], arrays[1::2], strict=True), results, strict=True
    ):
        upcast = np.float64 if dtype.is_float else np.int64
        left = x.astype(upcast).swapaxes(-1, -2) if step.transpose_lhs else x.astype(upcast)
        right = y.astype(upcast).swapaxes(-1, -2) if step.transpose_rhs else y.astype(upcast)
        expected = np.broadcast_to(left @ right, (3, 5, 6))
        tolerance = {"f64": 1e-13, "f32": 1e-5, "bf16": 2e-2, "i64": 0}[dtype.name]
        actual = torch_to_numpy(got).astype(upcast)
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=10 * tolerance)


def _sides(number, dtype, lhs, rhs, transposed):
    def side(name, batched, rows, columns, turned):
        size = (columns, rows) if turned else (rows, columns)
        shape = (3, *size) if batched else size
        return BufferParam(f"{name}{number}", tensor_type(shape, dtype), "in")

    a, b = transposed
    out = BufferParam(f"out{number}", tensor_type((3, 5, 6), dtype), "out")
    return side("a", lhs, 5, 7, a), side("b", rhs, 7, 6, b), out


def test_a_large_batch_is_shared_among_threads():
    b = Builder()
    x, y = (b.parameter(tensor_type((20, 9, 11))) for _ in range(2))
    product = b.dot_general(x, y, batch=((0,), (0,)), contract=((2,), (2,)))
    graph = b.graph("bmm", [product])
    inputs = [cases.random(F32, (20, 9, 11), seed) for seed in (0, 1)]
    np.testing.assert_allclose(
        run(graph, inputs)[0], eval_numpy.evaluate(graph, inputs)[0], rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_a_program_of_products_and_kernels(dtype):
    b = Builder()
    x, w, v = (b.parameter(tensor_type(s, dtype)) for s in ((8, 16), (16, 32), (32, 4)))
    h = gelu(b, b.dot_general(x, w, contract=((1,), (0,))))
    graph = b.graph("mlp", [b.dot_general(h, v, contract=((1,), (0,)))])
    inputs = [cases.random(dtype, p.type.shape, i) for i, p in enumerate(graph.inputs)]
    (expected,) = eval_numpy.evaluate(graph, [x.astype(np.float64) for x in inputs])
    got = run(graph, inputs)[0].astype(np.float64)
    scale = {"f32": 1e-5, "bf16": 0.1}[dtype.name]
    np.testing.assert_allclose(got, expected, rtol=scale, atol=2 * scale)


# -- library calls


def test_library_calls_run_between_kernels():
    b = Builder()
    x = b.parameter(tensor_type((4, 6)))
    callee = Callee("torch.sort", "torch", "sorting is not lowered", lambda v: torch.sort(v, -1))
    values, places = b.library_call(
        callee, [b.node("negate", x)], [tensor_type((4, 6)), tensor_type((4, 6), I64)]
    )
    graph = b.graph("f", [b.node("add", values, values), places])
    given = torch.rand(4, 6)
    got, order = cpu.build(plan_of(graph))([given])
    expected = torch.sort(-given, -1)
    assert torch.equal(got, 2 * expected.values) and torch.equal(order, expected.indices)


def test_a_library_call_that_returns_its_input_gives_a_copy():
    b = Builder()
    x = b.parameter(tensor_type((3, 3)))
    callee = Callee("torch.t", "torch", "", lambda v: v.t())
    (turned,) = b.library_call(callee, [x], [tensor_type((3, 3))])
    given = torch.rand(3, 3)
    (got,) = cpu.build(plan_of(b.graph("f", [turned])))([given])
    assert torch.equal(got, given.t()) and got.is_contiguous()
    assert got.data_ptr() != given.data_ptr()


@pytest.mark.parametrize(
    "noted",
    [lambda v: torch._efficientzerotensor(v.shape), lambda v: (v + 2j).conj().imag],
    ids=["zero", "negative"],
)
def test_what_torch_has_only_noted_of_a_result_is_in_its_memory(noted):
    b = Builder()
    x = b.parameter(tensor_type((3,)))
    (result,) = b.library_call(Callee("noted", "torch", "", noted), [x], [tensor_type((3,))])
    given = torch.rand(3)
    (got,) = cpu.build(plan_of(b.graph("f", [b.node("negate", result)])))([given])
    assert torch.equal(got, -noted(given))


def test_library_calls_of_jax_take_and_give_tensors():
    import jax.numpy as jnp

    b = Builder()
    x = b.parameter(tensor_type((4, 5)))
    callee = Callee("lax.sort", "jax", "sorting is not lowered", lambda v: jnp.sort(v, -1))
    (ordered,) = b.library_call(callee, [b.node("negate", x)], [tensor_type((4, 5))])
    given = torch.rand(4, 5)
    (got,) = cpu.build(plan_of(b.graph("f", [b.node("negate", ordered)])))([given])
    assert torch.equal(got, given.sort(-1, descending=True).values)


# -- the process


def test_denormals_stay_on_after_loading(large):
    assert large is not None
    assert torch.tensor([1e-45]).mul(1.0).item() > 0


# -- stamps


def test_launches_write_down_when_they_begin_and_end(large):
    b = Builder()
    x = b.parameter(tensor_type((64, 32)))
    product = b.node("dot_general", x, x, lhs_contract=(1,), rhs_contract=(1,),
                     lhs_batch=(), rhs_batch=())  # fmt: skip
    plan = plan_of(b.graph("stamped", [b.node("tanh", product)]))
    run, stamps = cpu.build_with_stamps(plan)
    given = torch.rand(64, 32)
    before = time.perf_counter_ns()
    (result,) = run([given])
    after = time.perf_counter_ns()
    found = stamps.take()
    assert [s.launch for s in found] == [launch.step.name for launch in plan.walk()]
    times = [ns for s in found for ns in (s.begin_ns, s.end_ns)]
    assert [before, *times, after] == sorted([before, *times, after])
    assert stamps.take() == []
    torch.testing.assert_close(result, (given @ given.T).tanh())
    assert "stamp" not in large.source.text
