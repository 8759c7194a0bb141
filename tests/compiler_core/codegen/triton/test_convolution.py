"""The generated convolution with what follows it: text, numbers, and what it compiles to."""

from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import BF16, F32, F64, DType, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnGpu
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution
from compiler_core.plan.gpu import convolutions as gpu_convolutions
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.steps import Step
from compiler_core.schedule.targets import resolve
from conformance.operations import cases_convolution
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.codegen.triton.products import assert_graph_computed
from tests.sweep_plugin import crossed, thinned

pytestmark = pytest.mark.cpu

Sizes = tuple[int, ...]


def graph_of(left: Sizes, right: Sizes, attrs: Mapping[str, Any], dtype: DType = F32) -> Graph:
    """A convolution, a bias for each feature, what is added at each element, and tanh."""
    b = Builder()
    x, w = b.parameter(TensorType(dtype, left)), b.parameter(TensorType(dtype, right))
    conv = b.convolution(x, w, **attrs)
    feature = attrs.get("out_dims", range(len(left)))[1]
    bias = b.parameter(TensorType(dtype, (conv.type.sizes[feature],)))
    spread = b.broadcast_in_dim(bias, conv.type.shape, (feature,))
    result = b.node("add", b.node("add", conv, spread), b.parameter(conv.type))
    return b.graph("f", [b.node("tanh", result)])


def plan_of(graph: Graph) -> Plan:
    return build_plan(fuse(values_of(graph), cost.GPU), OnGpu(resolve("sm_90")))


@dataclass(frozen=True)
class By(OnGpu):
    """Runs convolutions as the first candidate of a strategy says, whatever it costs."""

    way: str = ""

    def __call__(self, step: Step) -> tuple[Launch, ...]:
        if isinstance(step, FusedConvolution):
            options = gpu_convolutions.with_end(step, super().__call__, self.target)
        elif isinstance(step, ConvolutionStep):
            options = gpu_convolutions.alone(step, self.target)
        else:
            return super().__call__(step)
        taken = (x.result for x in options if x.candidate.strategy == self.way)
        return next(launches for launches in taken if launches is not None)


def plan_by(way: str, graph: Graph) -> Plan:
    return build_plan(fuse(values_of(graph), cost.GPU), By(resolve("sm_90"), way))


# All but those that have nothing to sum, no spatial dimensions or a channel of their own each.
NAMES = sorted({*cases_convolution.NUMBERS} - {"empty", "no-batch", "depthwise", "depthwise-twice"})
LARGER = {
    "several tiles": ((2, 20, 13, 14), (70, 20, 3, 3), {"low": (1, 1), "high": (1, 1)}),
    "one feature": ((2, 5, 6, 7), (1, 5, 3, 3), {}),
    "one place": ((1, 5, 3, 3), (20, 5, 3, 3), {}),
    "many channels last": (
        (2, 6, 7, 40), (3, 3, 40, 20),
        {"lhs_dims": (0, 3, 1, 2), "rhs_dims": (3, 2, 0, 1), "out_dims": (0, 3, 1, 2),
         "low": (1, 1), "high": (1, 1), "strides": (2, 1)},
    ),
    "groups last": (
        (2, 6, 7, 8), (3, 3, 4, 6),
        {"lhs_dims": (0, 3, 1, 2), "rhs_dims": (3, 2, 0, 1), "out_dims": (0, 3, 1, 2), "groups": 2},
    ),
}  # fmt: skip
# An operand of which a tile has one address: its side of one element has no stride.
ONES = {
    "one weight": ((2, 1, 7, 5), (1, 1, 1, 1), {}),
    "one weight, with gaps": ((2, 1, 7), (1, 1, 1), {"lhs_dilation": (2,)}),
    "one pixel": ((2, 1, 1, 1), (20, 1, 1, 1), {}),
    "one weight, channels last": (
        (2, 7, 6, 1), (1, 1, 1, 1),
        {"lhs_dims": (0, 3, 1, 2), "rhs_dims": (3, 2, 0, 1), "out_dims": (0, 3, 1, 2)},
    ),
}  # fmt: skip
NUMBERS = {name: cases_convolution.NUMBERS[name] for name in NAMES} | LARGER | ONES


@pytest.mark.parametrize("name", NUMBERS)
def test_one_kernel_computes_the_convolution_and_what_follows(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    graph = graph_of(*NUMBERS[name])
    plan = plan_by("implicit_gemm", graph)
    assert [x.schedule.strategy for x in plan.launches] == ["implicit_gemm"]
    random = np.random.default_rng(3)
    inputs = [random.standard_normal(x.type.shape).astype(np.float32) for x in graph.inputs]
    call = interpreter_process.submit(interpreter.execute, plan, inputs)
    (expected,) = evaluate(graph, [x.astype(np.float64) for x in inputs])
    (found,) = call.result(timeout=60)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


SAME = {"low": (1, 1), "high": (1, 1)}


def test_the_text_reads_as_a_person_would_write_it(golden) -> None:
    (source,) = emit_plan(plan_of(graph_of((8, 64, 56, 56), (128, 64, 3, 3), SAME))).values()
    golden(source.source.text)


@pytest.mark.parametrize(
    ("name", "dtype"),
    crossed(["several tiles", "many channels last", "transposed"], [BF16, F32]), ids=str,
)  # fmt: skip
def test_it_compiles_without_spills(name: str, dtype: DType) -> None:
    (source,) = emit_plan(plan_of(graph_of(*NUMBERS[name], dtype))).values()
    assert compile_offline(source, "sm_90").spills == 0


@pytest.mark.parametrize("name", thinned(["one feature", *ONES], kept=ONES.keys() - {"one weight"}))
def test_sides_of_one_compile(name: str) -> None:
    """The interpreter spreads one address over a tile's mask, the compiler does not."""
    (source,) = emit_plan(plan_of(graph_of(*NUMBERS[name]))).values()
    assert compile_offline(source, "sm_90").spills == 0


def test_both_ways_are_shown_with_their_cost() -> None:
    (launch,) = plan_of(graph_of((8, 64, 56, 56), (128, 64, 3, 3), SAME)).launches
    one, two, vendor = launch.candidates
    assert [x.strategy for x in launch.candidates] == [
        "implicit_gemm", "implicit_gemm", "convolution",
    ]  # fmt: skip
    assert one.chosen and one.cost_us < min(two.cost_us, vendor.cost_us)
    assert "; then k1_" in two.reason and "; then k1_" in vendor.reason


def test_what_is_left_to_the_vendor_says_why() -> None:
    plan = plan_of(graph_of((1, 4, 8, 8), (8, 4, 3, 3), {}, F64))
    assert [x.schedule.strategy for x in plan.launches] == ["convolution", "flat"]
    assert plan.launches[0].candidates[0].reason == "no generated convolution of f64"


def test_a_reduction_of_the_result_is_a_kernel_of_its_own() -> None:
    b = Builder()
    x, w = b.parameter(TensorType(F32, (2, 4, 8, 8))), b.parameter(TensorType(F32, (8, 4, 3, 3)))
    graph = b.graph("f", [b.reduce(b.convolution(x, w), "add", (2, 3))])
    first, second = plan_of(graph).launches
    assert (first.step.kind, second.step.kind) == ("convolution", "row")
    assert "reduces" in first.candidates[0].reason


def test_a_result_that_is_returned_too_stays_in_memory() -> None:
    b = Builder()
    x, w = b.parameter(TensorType(F32, (2, 4, 8, 8))), b.parameter(TensorType(F32, (8, 4, 3, 3)))
    conv = b.convolution(x, w)
    plan = plan_of(b.graph("f", [conv, b.node("tanh", conv)]))
    assert [x.step.kind for x in plan.launches] == ["convolution", "elementwise"]


# -- alone


@pytest.mark.parametrize("name", thinned(NUMBERS, kept=NUMBERS.keys() - {"several tiles"}))
def test_a_convolution_alone_is_generated(
    name: str, interpreter_process: ProcessPoolExecutor
) -> None:
    left, right, attrs = NUMBERS[name]
    b = Builder()
    x, w = b.parameter(TensorType(F32, left)), b.parameter(TensorType(F32, right))
    graph = b.graph("f", [b.convolution(x, w, **attrs)])
    plan = plan_by("implicit_gemm", graph)
    assert [x.schedule.strategy for x in plan.launches] == ["implicit_gemm"]
    assert_graph_computed(graph, plan, interpreter_process)


def test_a_convolution_that_arithmetic_bounds_is_the_vendors_and_says_why() -> None:
    b = Builder()
    x, w = (b.parameter(TensorType(BF16, s)) for s in ((64, 512, 28, 28), (512, 512, 3, 3)))
    (launch,) = plan_of(b.graph("f", [b.convolution(x, w, **SAME)])).launches
    assert launch.schedule.strategy == "convolution"
    assert "its tiles reach 70% of the peak, generated ones 50%" in launch.schedule.reason
