"""The generated attention: text, numbers in the interpreter, and what it compiles to."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.graph import Graph
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from tests.compiler_core import attentions
from tests.compiler_core.attentions import CAUSAL, MASKED, heads, torch_attention
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_GPU
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu


def plan_of(graph: Graph) -> Plan:
    result = build_plan(fuse(values_of(graph), cost.GPU), ON_GPU)
    assert [x.schedule.strategy for x in result.launches] == ["attention"]
    return result


def interpreted(graph: Graph, inputs: list[np.ndarray], process: ProcessPoolExecutor) -> np.ndarray:
    (found,) = process.submit(interpreter.execute, plan_of(graph), inputs).result(timeout=100)
    return found


# Called in full by C, which has the same plan; what the kernel does is as in others of these.
AS_OTHERS = {"sdpa", "by hand", "jax", "jax, causal"}
SIDES = ("one row of depth and width one", "width of one")


@pytest.mark.parametrize("name", thinned(attentions.CASES, kept={*attentions.CASES} - AS_OTHERS))
def test_one_kernel_computes_what_float64_does(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    graph = attentions.case(name)
    inputs = attentions.inputs_of(graph)
    found = interpreted(graph, inputs, interpreter_process)
    np.testing.assert_allclose(found, attentions.expected(graph, inputs), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("kind", ["torch", "by hand"])
def test_a_row_that_sees_no_key_is_zero_in_torch_and_nan_by_hand(
    kind: str, interpreter_process: ProcessPoolExecutor
) -> None:
    body = MASKED if kind == "torch" else "return torch.softmax(q @ k.mT + m, -1) @ v"
    graph = torch_attention(body, *heads(20, 40, 16), (20, 40))
    inputs = attentions.inputs_of(graph)
    inputs[3][5] = -np.inf
    found = interpreted(graph, inputs, interpreter_process)
    np.testing.assert_allclose(found, attentions.expected(graph, inputs), rtol=2e-5, atol=2e-6)
    row = found[:, :, 5]
    assert (row == 0).all() if kind == "torch" else np.isnan(row).all()


def test_the_text_of_causal_attention(golden) -> None:
    (source,) = emit_plan(plan_of(attentions.case("heads last"))).values()
    golden(source.source.text)


@pytest.mark.parametrize("name", thinned([x for x in attentions.CASES if "one" in x], SIDES))
def test_sides_of_one_compile(name: str) -> None:
    (source,) = emit_plan(plan_of(attentions.case(name))).values()
    assert compile_offline(source, "sm_90").spills == 0


COMPILED = [
    (dtype, depth, target)
    for dtype, depth in [("float32", 64), ("bfloat16", 64), ("bfloat16", 80)]
    for target in ("sm_90", "gfx942")
]
KEPT = (("float32", 64, "gfx942"), ("bfloat16", 80, "sm_90"))


@pytest.mark.parametrize(("dtype", "depth", "target"), thinned(COMPILED, KEPT))
def test_it_compiles_without_spills(dtype: str, depth: int, target: str) -> None:
    graph = torch_attention(CAUSAL, *heads(512, 512, depth), dtype=dtype)
    (source,) = emit_plan(plan_of(graph)).values()
    assert compile_offline(source, target).spills == 0


def test_sixteen_bit_floats_go_to_the_matrix_units_as_they_are(
    interpreter_process: ProcessPoolExecutor,
) -> None:
    graph = torch_attention(CAUSAL, *heads(70, 70, 16), dtype="float16")
    (source,) = emit_plan(plan_of(graph)).values()
    assert "tl.dot(weights.to(tl.float16), values" in source.source.text
    assert "ieee" not in source.source.text
    inputs = attentions.inputs_of(graph)
    found = interpreted(graph, inputs, interpreter_process).astype(np.float64)
    np.testing.assert_allclose(found, attentions.expected(graph, inputs), rtol=4e-3, atol=2e-3)


def test_each_line_names_the_operations_that_it_does() -> None:
    graph = attentions.case("by hand")
    (result,) = emit_plan(plan_of(graph)).values()
    first, second = (n for n in graph.computed if n.op == "dot_general")
    exponential = next(n for n in graph.computed if n.op == "exponential")

    def origins(part: str) -> set[int]:
        lines = zip(result.source.text.splitlines(), result.source.nodes, strict=False)
        return {o for line, own in lines for o in own if part in line}

    assert origins("s0 = tl.dot(queries") == set(first.origins)
    assert origins("result = tl.dot(weights") == set(second.origins)
    assert origins("weights = tl.exp") == set(exponential.origins)
