"""Attention as generated C: numbers, text, and what rows that see nothing give."""

import itertools

import numpy as np
import pytest
import torch

from compiler_core.codegen.c import emit as c
from compiler_core.interop.arrays import numpy_to_torch
from compiler_core.ir.graph import Graph
from compiler_core.plan.cpu import attention as cpu_attention
from compiler_core.runtime import cpu
from compiler_core.schedule.cpu.attention import by_rows
from tests.compiler_core import attentions
from tests.compiler_core.attentions import CAUSAL, MASKED, PLAIN, heads, torch_attention
from tests.compiler_core.codegen.c.graphs import plan_of, run
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu


def is_one_launch(graph: Graph) -> bool:
    return [x.schedule.strategy for x in plan_of(graph).launches] == ["attention"]


@pytest.mark.parametrize("name", attentions.CASES)
def test_one_function_computes_what_float64_does(name):
    graph = attentions.case(name)
    inputs = attentions.inputs_of(graph)
    assert is_one_launch(graph)
    (found,) = run(graph, inputs)
    np.testing.assert_allclose(found, attentions.expected(graph, inputs), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_sixteen_bit_floats_are_rounded_once(dtype):
    graph = torch_attention(CAUSAL, *heads(70, 70, 16), dtype=dtype)
    inputs = attentions.inputs_of(graph)
    assert is_one_launch(graph)
    (found,) = run(graph, inputs)
    unit = 2**-8 if dtype == "bfloat16" else 2**-11
    wanted = attentions.expected(graph, inputs)
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=4 * unit, atol=4 * unit)


@pytest.mark.parametrize("kind", ["torch", "by hand"])
def test_a_row_that_sees_no_key_is_zero_in_torch_and_nan_by_hand(kind):
    body = MASKED if kind == "torch" else "return torch.softmax(q @ k.mT + m, -1) @ v"
    graph = torch_attention(body, *heads(64, 160, 16), (64, 160))
    assert is_one_launch(graph)
    inputs = attentions.inputs_of(graph)
    inputs[3][5] = -np.inf
    (found,) = run(graph, inputs)
    row = found[:, :, 5]
    assert (row == 0).all() if kind == "torch" else np.isnan(row).all()
    np.testing.assert_allclose(found, attentions.expected(graph, inputs), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool"])
def test_a_mask_of_any_type_is_read_along_the_keys(dtype):
    """Sizes that no tile divides, and keys a power of two apart."""
    for rows, keys in ((70, 130), (64, 1024)):
        graph = under_a_mask(dtype, rows, keys)
        inputs = attentions.inputs_of(graph)
        assert is_one_launch(graph)
        (found,) = run(graph, inputs)
        wanted = attentions.expected(graph, inputs)
        unit = 2**-6 if dtype == "bfloat16" else 2e-5
        np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=unit, atol=unit)


def under_a_mask(dtype: str, rows: int, keys: int) -> Graph:
    own = "bfloat16" if dtype == "bfloat16" else "float32"
    shapes = [*heads(rows, keys, 16), (rows, keys)]
    types = [own, own, own, dtype]
    made = (f"torch.zeros({s}, dtype=torch.{t})" for s, t in zip(shapes, types, strict=True))
    return attentions.graph_of(
        attentions.TORCH.format(parameters="q, k, v, m", body=MASKED, arguments=", ".join(made))
    )


BODIES = {"plain": PLAIN, "causal": CAUSAL, "masked": MASKED}
FEW = list(itertools.product(((1, 700), (3, 261)), BODIES, ("float32", "bfloat16")))
# Each body with each number of rows, and each of them in one of the two types.
MET = [x for i, x in enumerate(FEW) if i // 2 % 2 == i % 2]


@pytest.mark.parametrize(("sizes", "name", "dtype"), thinned(FEW, MET))
def test_few_rows_are_computed_one_at_a_time(sizes, name, dtype, monkeypatch):
    """Keys of several tiles, and a mask that hides all of them from a row."""
    (rows, keys), body = sizes, BODIES[name]
    monkeypatch.setattr(
        cpu_attention, "choose_cpu_attention", lambda whole, threads: by_rows(whole)
    )
    mask = ((rows, keys),) if body == MASKED else ()
    graph = torch_attention(body, *heads(rows, keys, 20, width=24), *mask, dtype=dtype)
    (launch,) = plan_of(graph).launches
    assert launch.schedule.parameters["rows"] == 1
    inputs = attentions.inputs_of(graph)
    if mask:
        inputs[3][0] = -np.inf
    (found,) = run(graph, inputs)
    unit = 2e-5 if dtype == "float32" else 2**-6
    wanted = attentions.expected(graph, inputs)
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=unit, atol=unit)


def test_scores_that_are_far_apart_and_nan_are_as_in_float64():
    graph = torch_attention(PLAIN, *heads(64, 160, 16))
    inputs = attentions.inputs_of(graph)
    inputs[0] *= 300
    inputs[1][0, 0, 77, 3] = np.nan
    (found,) = run(graph, inputs)
    wanted = attentions.expected(graph, inputs)
    assert np.isnan(found[0, 0]).all()
    np.testing.assert_allclose(found[1], wanted[1], rtol=1e-3, atol=1e-4)


def test_any_number_of_threads_gives_the_same_bits():
    graph = attentions.case("sdpa, causal")
    program = cpu.build(plan_of(graph))
    inputs = [numpy_to_torch(x) for x in attentions.inputs_of(graph)]
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        (alone,) = program(inputs)
        torch.set_num_threads(3)
        (shared,) = program(inputs)
    finally:
        torch.set_num_threads(before)
    assert torch.equal(alone, shared)


def test_two_that_differ_in_their_buffers_are_one_function():
    body = """x = torch.softmax(q @ k.mT, -1) @ v
    return torch.softmax(x @ k.mT, -1) @ v"""
    text = c.emit(plan_of(torch_attention(body, *heads(64, 64, 16)))).source.text
    assert text.count("static void k") == 1


def test_the_text_of_causal_attention(golden):
    text = c.emit(plan_of(attentions.case("heads last"))).source.text
    golden(text[text.index("// attention:") :])


def test_the_text_of_attention_of_one_row(golden):
    text = c.emit(plan_of(attentions.case("one row"))).source.text
    golden(text[text.index("// attention:") :])


def test_the_text_of_attention_under_a_mask(golden):
    """What a score reads along the keys is copied by rows."""
    text = c.emit(plan_of(attentions.case("sdpa, added mask"))).source.text
    golden(text[text.index("// attention:") :])


def test_each_line_names_the_operations_that_it_does():
    """Of torch's one captured operation all of them are; by hand each is its own."""
    graph = attentions.case("by hand")
    result = c.emit(plan_of(graph)).source
    by_op = {n.op: set(n.origins) for n in graph.computed}
    lines = dict(zip(result.text.splitlines(), map(set, result.nodes), strict=False))

    def origins(part: str) -> set[int]:
        return set().union(*(o for line, o in lines.items() if part in line))

    first, second = (n for n in graph.computed if n.op == "dot_general")
    assert origins("lanes_product(*keys") == set(first.origins)
    assert origins("lanes_product(*values, 1") == set(second.origins)
    assert origins("lanes_softmax(*scores") >= by_op["exponential"]
    assert origins("float s2 = ") == by_op["multiply"]
