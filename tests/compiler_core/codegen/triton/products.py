"""Graphs of matrix products with what is at their ends, and their plans for a GPU."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.parse import parse
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnGpu
from compiler_core.plan.fused_matmul import FusedMatmul
from compiler_core.plan.gpu import products as gpu_products
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.steps import Matmul, Step
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.triton import interpreter

ROWS = "lhs_batch = (), rhs_batch = (), lhs_contract = ({lhs}), rhs_contract = ({rhs})"
MANY = "lhs_batch = (0), rhs_batch = (0), lhs_contract = ({lhs}), rhs_contract = ({rhs})"


def plan_of(text: str, target: str = "sm_90") -> Plan:
    fused = fuse(values_of(parse(text)), cost.GPU)
    return build_plan(fused, OnGpu(resolve(target)))


@dataclass(frozen=True)
class By(OnGpu):
    """Runs products as one candidate says, whatever it costs."""

    way: str = ""

    def __call__(self, step: Step) -> tuple[Launch, ...]:
        if not isinstance(step, Matmul | FusedMatmul):
            return super().__call__(step)
        whole = step if isinstance(step, FusedMatmul) else FusedMatmul(step, {})
        options = gpu_products.with_parts(whole, super().__call__, self.target)
        taken = (x.result for x in options if x.candidate.strategy == self.way)
        return next(launches for launches in taken if launches is not None)


def plan_by(way: str, text: str, target: str = "sm_90") -> Plan:
    fused = fuse(values_of(parse(text)), cost.GPU)
    return build_plan(fused, By(resolve(target), way))


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


def product(
    left: tuple[int, ...], right: tuple[int, ...], attrs: str, out: str, dtype: str = "f32"
) -> str:
    """One product alone, with a result of shape `out`."""
    lhs, rhs = (",".join(map(str, shape)) for shape in (left, right))
    return f"""
graph product(%0: {dtype}[{lhs}], %1: {dtype}[{rhs}]) {{
  %2 = dot_general(%0, %1) {{{attrs}}} : {dtype}[{out}]
  return %2
}}"""


def before(shapes: str, dots: str, lines: str, out: str) -> str:
    """`lines` make %8 and %9, which are multiplied; then tanh."""
    return f"""
graph before({shapes}) {{
{lines}
  %10 = dot_general(%8, %9) {{{dots}}} : {out}
  %11 = tanh(%10) : {out}
  return %11
}}"""


def exponential_then(m: int, k: int, n: int, *, rhs: int = 0) -> str:
    """tanh(exp(x * s) @ w), of which exp(0) = 1 is not zero outside of the matrix."""
    w = (n, k) if rhs else (k, n)
    lines = f"""\
  %3 = broadcast_in_dim(%1) {{dimensions = (0)}} : f32[{m},{k}]
  %4 = multiply(%0, %3) : f32[{m},{k}]
  %8 = exponential(%4) : f32[{m},{k}]
  %9 = negate(%2) : f32[{w[0]},{w[1]}]"""
    shapes = f"%0: f32[{m},{k}], %1: f32[{m}], %2: f32[{w[0]},{w[1]}]"
    return before(shapes, ROWS.format(lhs=1, rhs=rhs), lines, f"f32[{m},{n}]")


def assert_computed(
    text: str, plan: Plan, process: ProcessPoolExecutor, scale: float = 1.0, rtol: float = 2e-5
) -> None:
    """That the interpreter finds what numpy's float64 does."""
    assert_graph_computed(parse(text), plan, process, scale, rtol)


def assert_graph_computed(
    graph: Graph, plan: Plan, process: ProcessPoolExecutor, scale: float = 1.0, rtol: float = 2e-5
) -> None:
    random = np.random.default_rng(3)
    inputs = [
        (random.standard_normal(x.type.shape) * scale).astype(NUMPY[x.type.dtype.name])
        for x in graph.inputs
    ]
    call = process.submit(interpreter.execute, plan, inputs)
    upcast = [x if x.dtype.kind in "iub" else x.astype(np.float64) for x in inputs]
    for found, wanted in zip(call.result(timeout=100), evaluate(graph, upcast), strict=True):
        np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=rtol, atol=rtol)
