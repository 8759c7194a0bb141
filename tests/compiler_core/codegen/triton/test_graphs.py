"""Whole graphs, from text through fusion and lowering to Triton: in the interpreter against the
graph's own meaning in numpy, and compiled for an NVIDIA and an AMD target."""

from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir import ops
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.parse import parse
from compiler_core.ir.types import F32, I32, I64, U32, DType, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnGpu
from compiler_core.plan.plan import Plan
from compiler_core.schedule.targets import resolve
from conformance.operations import cases
from tests.compiler_core.codegen.triton import interpreter
from tests.sweep_plugin import crossed

pytestmark = pytest.mark.cpu

GRAPHS = {
    "attention": """
graph attention(%0: f32[4,24,16], %1: f32[4,24,16], %2: f32[4,24,16]) {
  %3 = dot_general(%0, %1) {lhs_batch = (0), rhs_batch = (0),
      lhs_contract = (2), rhs_contract = (2)} : f32[4,24,24]
  %4 = constant() {value = 0.25} : f32[4,24,24]
  %5 = multiply(%3, %4) : f32[4,24,24]
  %6 = reduce(%5) {monoid = maximum, dimensions = (2)} : f32[4,24]
  %7 = broadcast_in_dim(%6) {dimensions = (0, 1)} : f32[4,24,24]
  %8 = subtract(%5, %7) : f32[4,24,24]
  %9 = exponential(%8) : f32[4,24,24]
  %10 = reduce(%9) {monoid = add, dimensions = (2)} : f32[4,24]
  %11 = broadcast_in_dim(%10) {dimensions = (0, 1)} : f32[4,24,24]
  %12 = divide(%9, %11) : f32[4,24,24]
  %13 = dot_general(%12, %2) {lhs_batch = (0), rhs_batch = (0),
      lhs_contract = (2), rhs_contract = (1)} : f32[4,24,16]
  return %13
}""",
    "row_and_column_sums": """
graph sums(%0: f32[96,70], %1: f32[96,70]) {
  %2 = subtract(%0, %1) : f32[96,70]
  %3 = multiply(%2, %2) : f32[96,70]
  %4 = reduce(%3) {monoid = add, dimensions = (0, 1)} : f32[]
  %5 = reduce(%2) {monoid = add, dimensions = (0)} : f32[70]
  %6 = reduce(%2) {monoid = maximum, dimensions = (1)} : f32[96]
  return %4, %5, %6, %2
}""",
    "concatenated_and_transposed": """
graph views(%0: f32[40,8], %1: f32[40,6]) {
  %2 = negate(%1) : f32[40,6]
  %3 = concatenate(%0, %2) {dimension = 1} : f32[40,14]
  %4 = tanh(%3) : f32[40,14]
  %5 = transpose(%4) {permutation = (1, 0)} : f32[14,40]
  return %4, %5
}""",
    "normalised_by_the_total": """
graph share(%0: f32[96,64]) {
  %1 = reduce(%0) {monoid = add, dimensions = (0, 1)} : f32[]
  %2 = broadcast_in_dim(%1) {dimensions = ()} : f32[96,64]
  %3 = divide(%0, %2) : f32[96,64]
  return %3
}""",
    "batch_norm": """
graph batch_norm(%0: f32[4,6,50]) {
  %1 = reduce(%0) {monoid = add, dimensions = (0, 2)} : f32[6]
  %2 = constant() {value = 0.005} : f32[6]
  %3 = multiply(%1, %2) : f32[6]
  %4 = broadcast_in_dim(%3) {dimensions = (1)} : f32[4,6,50]
  %5 = subtract(%0, %4) : f32[4,6,50]
  %6 = multiply(%5, %5) : f32[4,6,50]
  %7 = reduce(%6) {monoid = add, dimensions = (0, 2)} : f32[6]
  %8 = rsqrt(%7) : f32[6]
  %9 = broadcast_in_dim(%8) {dimensions = (1)} : f32[4,6,50]
  %10 = multiply(%5, %9) : f32[4,6,50]
  return %10
}""",
}  # fmt: skip


def plan_of(graph: Graph, target: str = "sm_90") -> Plan:
    values = values_of(graph)
    return build_plan(fuse(values, cost.GPU), OnGpu(resolve(target)))


@pytest.mark.parametrize("name", GRAPHS)
def test_the_gpu_program_means_what_the_graph_means(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    graph = parse(GRAPHS[name])
    random = np.random.default_rng(2)
    inputs = [random.standard_normal(n.type.shape).astype(np.float32) for n in graph.inputs]
    call = interpreter_process.submit(interpreter.execute, plan_of(graph), inputs)
    expected = evaluate(graph, [x.astype(np.float64) for x in inputs])
    for found, wanted in zip(call.result(timeout=60), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)


# Numbers at which operations on a type go other ways.
NUMBERS = {I32: (3, 40, -3, -1, 0), U32: (3, 40, 0), I64: (5, -1, 0), F32: (0.5, -2.0)}


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_every_operation_takes_a_number_at_every_place(
    dtype: DType, interpreter_process: ProcessPoolExecutor
) -> None:
    values, b = cases.edges(dtype), Builder()
    x = b.parameter(TensorType(dtype, values.shape))
    names = [op for op in sorted(ops.ELEMENTWISE) if ops.OPS[op].arity == 2 and op != "compare"]
    own = [op for op in names if dtype in cases.dtypes_of(op)]
    numbers = [b.scalar(v, dtype, values.shape) for v in NUMBERS[dtype]]
    pairs = [pair for n in numbers for pair in ((x, n), (n, x))]
    graph = b.graph("f", [b.node(op, *pair) for op in own for pair in pairs])
    call = interpreter_process.submit(interpreter.execute, plan_of(graph), [values])
    with np.errstate(all="ignore"):
        expected = evaluate(graph, [values])
    for found, wanted in zip(call.result(timeout=60), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize(("name", "target"), crossed(GRAPHS, ["sm_90", "gfx942"]))
def test_every_kernel_of_the_graph_compiles(name: str, target: str) -> None:
    for source in emit_plan(plan_of(parse(GRAPHS[name]), target)).values():
        compiled = compile_offline(source, target)
        mapped = {node for nodes in compiled.assembly.nodes for node in nodes}
        own = {node for nodes in source.source.nodes for node in nodes}
        assert compiled.spills == 0 and mapped <= own
