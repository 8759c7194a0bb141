"""The generated matrix product with its epilogue: text, numbers, and what it compiles to."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnGpu
from compiler_core.plan.plan import Plan
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.symbolic import calls
from tests.compiler_core.codegen.triton import interpreter

pytestmark = pytest.mark.cpu


def linear(m: int, k: int, n: int, dtype: str = "f32") -> str:
    """x @ w.T + b, then tanh."""
    dims = "{lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (1)}"
    return f"""
graph linear(%0: {dtype}[{m},{k}], %1: {dtype}[{n},{k}], %2: {dtype}[{n}]) {{
  %3 = dot_general(%0, %1) {dims} : {dtype}[{m},{n}]
  %4 = broadcast_in_dim(%2) {{dimensions = (1)}} : {dtype}[{m},{n}]
  %5 = add(%3, %4) : {dtype}[{m},{n}]
  %6 = tanh(%5) : {dtype}[{m},{n}]
  return %6
}}"""


BATCHED = """
graph scores(%0: f32[3,2,10,8], %1: f32[3,2,8,12], %2: f32[3,2,10,12]) {
  %3 = dot_general(%0, %1) {lhs_batch = (0, 1), rhs_batch = (0, 1), lhs_contract = (3), rhs_contract = (2)} : f32[3,2,10,12]
  %4 = multiply(%3, %2) : f32[3,2,10,12]
  %5 = exponential(%4) : f32[3,2,10,12]
  return %4, %5
}"""  # noqa: E501

SHAPED_AFTER = """
graph heads(%0: f32[2,5,24], %1: f32[24,16], %2: f32[2,16]) {
  %3 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (2), rhs_contract = (0)} : f32[2,5,16]
  %4 = broadcast_in_dim(%2) {dimensions = (0, 2)} : f32[2,5,16]
  %5 = add(%3, %4) : f32[2,5,16]
  %6 = reshape(%5) : f32[10,4,4]
  return %6
}"""  # noqa: E501

GRAPHS = {
    "one tile": linear(16, 16, 16),
    "several tiles": linear(150, 40, 130),
    "sides that no block divides": linear(33, 7, 65),
    "one row": linear(1, 20, 40),
    "one column": linear(40, 20, 1),
    "batched, two results": BATCHED,
    "rows of two dimensions, result of another shape": SHAPED_AFTER,
}


def plan_of(text: str) -> Plan:
    fused = fuse(values_of(parse(text)), cost.GPU)
    return build_plan(fused, OnGpu(resolve("sm_90")))


@pytest.mark.parametrize("name", GRAPHS)
def test_one_kernel_computes_the_product_and_what_follows(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan, graph = plan_of(GRAPHS[name]), parse(GRAPHS[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    random = np.random.default_rng(3)
    inputs = [random.standard_normal(x.type.shape).astype(np.float32) for x in graph.inputs]
    call = interpreter_process.submit(interpreter.execute, plan, inputs)
    expected = evaluate(graph, [x.astype(np.float64) for x in inputs])
    for found, wanted in zip(call.result(timeout=60), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)


def test_the_text_reads_as_a_person_would_write_it(golden) -> None:
    (source,) = emit_plan(plan_of(linear(4096, 1024, 1000))).values()
    golden(source.source.text)


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_it_compiles_without_spills(target: str, dtype: str) -> None:
    (source,) = emit_plan(plan_of(linear(512, 256, 384, dtype))).values()
    compiled = compile_offline(source, target)
    assert compiled.spills == 0


def test_both_ways_are_shown_with_their_cost() -> None:
    (launch,) = plan_of(linear(256, 256, 256)).launches
    assert [c.strategy for c in launch.candidates] == ["matmul", "matmul", "vendor"]
    one, *others = (c.cost_us for c in launch.candidates)
    assert all(one < other for other in others)


def test_a_product_of_doubles_is_left_to_the_vendor() -> None:
    plan = plan_of(linear(64, 64, 64, "f64"))
    assert [x.schedule.strategy for x in plan.launches] == ["vendor", "flat"]
    refused = plan.launches[0].candidates[0]
    assert refused.cost_us is None and "f64" in refused.reason


def test_a_product_that_is_read_twice_stays_in_memory() -> None:
    text = linear(32, 32, 32).replace("return %6", "return %6, %3")
    assert [x.step.name for x in plan_of(text).launches] == ["k0_matmul", "k1_add_tanh"]


SOFTMAX_AFTER = """
graph weights(%0: f32[32,16], %1: f32[16,24]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[32,24]
  %3 = exponential(%2) : f32[32,24]
  %4 = reduce(%3) {monoid = add, dimensions = (1)} : f32[32]
  return %4
}"""  # noqa: E501


def test_a_reduction_of_the_product_is_a_kernel_of_its_own() -> None:
    assert [x.step.name for x in plan_of(SOFTMAX_AFTER).launches] == [
        "k0_matmul", "k1_exponential_reduce",
    ]  # fmt: skip


def test_a_product_of_one_element_is_no_tile() -> None:
    first, _ = plan_of(linear(1, 16, 1)).launches
    assert "one number, and no tile" in first.candidates[0].reason


REDUCED_OVER_NOTHING = """
graph kept(%0: f32[8,16], %1: f32[16,1]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[8,1]
  %3 = reduce(%2) {monoid = add, dimensions = (1)} : f32[8]
  %4 = negate(%3) : f32[8]
  return %4
}"""  # noqa: E501


def test_a_reduction_over_one_element_ends_no_product() -> None:
    assert [x.step.name for x in plan_of(REDUCED_OVER_NOTHING).launches] == [
        "k0_matmul", "k1_reduce_negate",
    ]  # fmt: skip


# -- alone


def product(left: tuple[int, ...], right: tuple[int, ...], attrs: str, out: str) -> str:
    lhs, rhs = (",".join(map(str, shape)) for shape in (left, right))
    return f"""
graph product(%0: f32[{lhs}], %1: f32[{rhs}]) {{
  %2 = dot_general(%0, %1) {{{attrs}}} : {out}
  return %2
}}"""


ROWS = "lhs_batch = (), rhs_batch = (), lhs_contract = ({lhs}), rhs_contract = ({rhs})"
MANY = "lhs_batch = (0), rhs_batch = (0), lhs_contract = ({lhs}), rhs_contract = ({rhs})"
ALONE = {
    "even": product((64, 32), (32, 32), ROWS.format(lhs=1, rhs=0), "f32[64,32]"),
    "uneven": product((33, 21), (21, 50), ROWS.format(lhs=1, rhs=0), "f32[33,50]"),
    "both transposed": product((21, 33), (50, 21), ROWS.format(lhs=0, rhs=1), "f32[33,50]"),
    "one row": product((1, 40), (40, 70), ROWS.format(lhs=1, rhs=0), "f32[1,70]"),
    "one column": product((70, 40), (40, 1), ROWS.format(lhs=1, rhs=0), "f32[70,1]"),
    "batched": product((5, 18, 7), (5, 7, 20), MANY.format(lhs=2, rhs=1), "f32[5,18,20]"),
    "batched, transposed": product(
        (5, 7, 18), (5, 20, 7), MANY.format(lhs=1, rhs=2), "f32[5,18,20]"
    ),
}


@pytest.mark.parametrize("name", ALONE)
def test_a_product_alone_is_generated(name: str, interpreter_process: ProcessPoolExecutor) -> None:
    plan, graph = plan_of(ALONE[name]), parse(ALONE[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    random = np.random.default_rng(3)
    inputs = [random.standard_normal(x.type.shape).astype(np.float32) for x in graph.inputs]
    call = interpreter_process.submit(interpreter.execute, plan, inputs)
    (expected,) = evaluate(graph, [x.astype(np.float64) for x in inputs])
    (found,) = call.result(timeout=60)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


def test_no_mask_stands_where_tiles_come_out_even() -> None:
    (even,), (uneven,) = (emit_plan(plan_of(ALONE[n])).values() for n in ("even", "uneven"))
    assert "mask" not in even.source.text and "mask" in uneven.source.text


# -- prologues


def before(shapes: str, dots: str, lines: str, out: str) -> str:
    """`lines` make %8 and %9, which are multiplied; then tanh."""
    return f"""
graph before({shapes}) {{
{lines}
  %10 = dot_general(%8, %9) {{{dots}}} : {out}
  %11 = tanh(%10) : {out}
  return %11
}}"""


DOTS = "lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = ({rhs})"


def exponential_then(m: int, k: int, n: int, *, rhs: int = 0) -> str:
    """tanh(exp(x * s) @ w), of which exp(0) = 1 is not zero outside of the matrix."""
    w = (n, k) if rhs else (k, n)
    lines = f"""\
  %3 = broadcast_in_dim(%1) {{dimensions = (0)}} : f32[{m},{k}]
  %4 = multiply(%0, %3) : f32[{m},{k}]
  %8 = exponential(%4) : f32[{m},{k}]
  %9 = negate(%2) : f32[{w[0]},{w[1]}]"""
    shapes = f"%0: f32[{m},{k}], %1: f32[{m}], %2: f32[{w[0]},{w[1]}]"
    return before(shapes, DOTS.format(rhs=rhs), lines, f"f32[{m},{n}]")


TRANSPOSED = before(
    "%0: f32[20,3,8], %1: f32[3,20,12]",
    "lhs_batch = (0), rhs_batch = (0), lhs_contract = (2), rhs_contract = (1)",
    """\
  %2 = transpose(%0) {permutation = (1, 2, 0)} : f32[3,8,20]
  %8 = abs(%2) : f32[3,8,20]
  %9 = exponential(%1) : f32[3,20,12]""",
    "f32[3,8,12]",
)

DEQUANTIZED = before(
    "%0: f32[18,24], %1: i8[40,24], %2: f32[40]",
    DOTS.format(rhs=1),
    """\
  %3 = convert(%1) {dtype = f32} : f32[40,24]
  %4 = broadcast_in_dim(%2) {dimensions = (0)} : f32[40,24]
  %9 = multiply(%3, %4) : f32[40,24]
  %8 = cosine(%0) : f32[18,24]""",
    "f32[18,40]",
)

BEFORE = {
    "both operands": exponential_then(33, 21, 18),
    "a right operand stored by columns": exponential_then(33, 21, 18, rhs=1),
    "one row": exponential_then(1, 20, 40),
    "one column": exponential_then(40, 20, 1),
    "one inner element": exponential_then(20, 1, 24),
    "batched, transposed": TRANSPOSED,
    "weights of eight bits": DEQUANTIZED,
}


@pytest.mark.parametrize("name", BEFORE)
def test_operands_are_computed_where_they_are_loaded(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan, graph = plan_of(BEFORE[name]), parse(BEFORE[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    random = np.random.default_rng(3)
    inputs = [
        (random.standard_normal(x.type.shape) * 3).astype(NUMPY[x.type.dtype.name])
        for x in graph.inputs
    ]
    call = interpreter_process.submit(interpreter.execute, plan, inputs)
    upcast = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in inputs]
    for found, wanted in zip(call.result(timeout=60), evaluate(graph, upcast), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)


def test_a_prologue_reads_as_a_person_would_write_it(golden) -> None:
    (source,) = emit_plan(plan_of(DEQUANTIZED)).values()
    golden(source.source.text)


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
def test_a_prologue_compiles_without_spills(target: str) -> None:
    text = exponential_then(512, 256, 384).replace("f32", "bf16")
    (source,) = emit_plan(plan_of(text)).values()
    assert compile_offline(source, target).spills == 0


def test_an_operand_that_many_programs_would_compute_again_is_a_kernel_of_its_own() -> None:
    """256 programs read each row of x; its sixteen sines a point cost more than to write it."""
    sines = "\n".join(f"  %{i} = sine(%{i - 1}) : f32[2048,512]" for i in range(20, 36))
    lines = f"  %19 = abs(%0) : f32[2048,512]\n{sines}\n  %8 = abs(%35) : f32[2048,512]"
    lines += "\n  %9 = negate(%1) : f32[512,16384]"
    text = before(
        "%0: f32[2048,512], %1: f32[512,16384]", DOTS.format(rhs=0), lines, "f32[2048,16384]"
    )
    plan = plan_of(text)
    assert [x.schedule.strategy for x in plan.launches] == ["flat", "matmul"]
    assert plan.launches[1].step.name == "k3_negate_matmul_tanh"
    kept, *others = plan.launches[1].candidates
    assert not kept.chosen and "lhs is computed where it is loaded, 256 times" in kept.reason
    assert any(x.chosen and "k0_abs_sine apart" in x.reason for x in others)


SOFTMAX_BEFORE = """
graph weighted(%0: f32[32,24], %1: f32[24,40]) {
  %2 = exponential(%0) : f32[32,24]
  %3 = reduce(%2) {monoid = add, dimensions = (1)} : f32[32]
  %4 = broadcast_in_dim(%3) {dimensions = (0)} : f32[32,24]
  %5 = divide(%2, %4) : f32[32,24]
  %6 = dot_general(%5, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (0)} : f32[32,40]
  return %6
}"""  # noqa: E501


def test_a_kernel_that_stays_apart_says_why() -> None:
    plan = plan_of(SOFTMAX_BEFORE)
    assert [x.schedule.strategy for x in plan.launches] == ["persistent", "matmul"]
    refused = plan.launches[1].candidates[0]
    assert (
        refused.cost_us is None and "it reduces, which each tile would do again" in refused.reason
    )


# -- sizes that are symbols

SYMBOLIC = {
    "rows": """
graph f[B = 32 in 2..](%0: f32[B,48], %1: f32[24,48], %2: f32[24]) {
  %3 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (1)} : f32[B,24]
  %4 = broadcast_in_dim(%2) {dimensions = (1)} : f32[B,24]
  %5 = add(%3, %4) : f32[B,24]
  %6 = tanh(%5) : f32[B,24]
  return %6
}
""",  # noqa: E501
    "rows of two symbols": """
graph f[B = 4 in 2.., T = 8 in 2..](%0: f32[B,T,20], %1: f32[20,24]) {
  %2 = negate(%0) : f32[B,T,20]
  %3 = dot_general(%2, %1) {lhs_batch = (), rhs_batch = (), lhs_contract = (2), rhs_contract = (0)} : f32[B,T,24]
  %4 = tanh(%3) : f32[B,T,24]
  return %4
}
""",  # noqa: E501
    "rows and columns, by heads": """
graph f[T = 16 in 2..](%0: f32[3,T,20], %1: f32[3,T,20]) {
  %2 = dot_general(%0, %1) {lhs_batch = (0), rhs_batch = (0), lhs_contract = (2), rhs_contract = (2)} : f32[3,T,T]
  %3 = logistic(%2) : f32[3,T,T]
  return %3
}
""",  # noqa: E501
    "what is summed over, of a batch": """
graph f[B = 4 in 2.., K = 32 in 2..](%0: f32[B,18,K], %1: f32[B,K,20]) {
  %2 = dot_general(%0, %1) {lhs_batch = (0), rhs_batch = (0), lhs_contract = (2), rhs_contract = (1)} : f32[B,18,20]
  %3 = tanh(%2) : f32[B,18,20]
  return %3
}
""",  # noqa: E501
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_one_kernel_with_its_ends_serves_every_size(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    plan = plan_of(SYMBOLIC[name])
    assert [x.schedule.strategy for x in plan.launches] == ["matmul"]
    given = list(calls(SYMBOLIC[name], (2, 17, 70)))
    run = interpreter_process.submit(interpreter.execute_all, plan, [inputs for inputs, _ in given])
    for (found,), (_, (wanted,)) in zip(run.result(timeout=100), given, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5)


def test_sizes_that_are_symbols_are_arguments(golden) -> None:
    (source,) = emit_plan(plan_of(SYMBOLIC["rows"])).values()
    golden(source.source.text)


@pytest.mark.parametrize("target", ["sm_90", "gfx942"])
@pytest.mark.parametrize("name", ["rows", "rows and columns, by heads"])
def test_a_kernel_of_every_size_compiles_without_spills(name: str, target: str) -> None:
    (source,) = emit_plan(plan_of(SYMBOLIC[name])).values()
    assert compile_offline(source, target).spills == 0
