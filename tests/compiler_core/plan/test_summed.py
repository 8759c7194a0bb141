"""Which products of a matrix and a vector are sums: each target decides by its own costs, with what
is around the product, and says what else there was."""

from dataclasses import replace

import pytest

from compiler_core.fuse.cost import CPU
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.types import BF16, F16, F32, I8, TensorType
from compiler_core.ir.verify import verify
from compiler_core.passes.dots import order_matmuls
from compiler_core.passes.vectors import as_sums
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnCpu
from compiler_core.plan.steps import COPY
from compiler_core.plan.summed import SUM, decide, left, sums
from compiler_core.schedule.figures import Curve, Figures, Level
from compiler_core.schedule.targets import CpuTarget
from compiler_core.steering import Steering, steered
from tests.compiler_core.plan.planned import product
from tests.compiler_core.plans import ON_GPU

# Two cores that move 400 bytes and do 120 adds a nanosecond.
FIGURES = Figures(
    "a machine", 2, 60e3, (Level(2**62, 200e3, 400e3),), 1.0, 0.1, 0.001, 10.0, 8.0, converted=0.5
)
MANY = 1024 * 4096
QUICK, SLOW = Curve((0, MANY), (5.0, 45.0)), Curve((0, MANY), (30.0, 4000.0))


def on_cpu(**vectors):
    """A CPU whose torch takes as long as the line says."""
    ways = {f"torch, {dtype}, row, by rows": line for dtype, line in vectors.items()}
    figures = replace(FIGURES, vectors=ways)
    return OnCpu(CpuTarget(figures=figures, waking_us=figures.waking_us, libraries=frozenset()))


def row(dtype, k=1024, n=4096):
    return product(1, k, n, dtype, contract=((1,), (1,)))


def the(decisions):
    (only,) = decisions.values()
    return only


def planned(graph, choose):
    decided = decide(graph, CPU, choose)
    graph, _ = as_sums(graph, sums(decided))
    return build_plan(fuse(values_of(verify(graph))), choose, left=left(decided))


@pytest.mark.parametrize("dtype", [F16, BF16, F32])
@pytest.mark.parametrize(("line", "summed"), [(QUICK, False), (SLOW, True)])
def test_a_library_that_was_measured_to_be_quicker_is_taken(dtype, line, summed):
    decided = the(decide(row(dtype), CPU, on_cpu(**{dtype.name: line})))
    assert decided.summed == summed
    costs = {c.strategy: c.cost_us for c in decided.candidates}
    assert costs["torch"] == pytest.approx(line.us(MANY), rel=0.01)
    assert (costs[SUM] < costs["torch"]) == summed


def test_each_target_decides_for_itself():
    graph = row(F16)
    assert not the(decide(graph, CPU, on_cpu(f16=QUICK))).summed
    assert the(decide(graph, CPU, ON_GPU)).summed


@pytest.mark.parametrize(("line", "own"), [(QUICK, "torch"), (SLOW, "rows")])
def test_what_was_not_taken_is_listed_with_its_cost_and_the_reason(line, own):
    (launch,) = planned(row(F16), on_cpu(f16=line)).launches
    assert launch.schedule.strategy == own
    others = [c for c in launch.candidates if c.of]
    assert {c.of for c in others} == {"dot_general"} and not any(c.chosen for c in others)
    wanted = {SUM} if own == "torch" else {"registers", "torch", "blas", "onednn"}
    assert {c.strategy for c in others} == wanted
    for each in others:
        # What is possible is compared with what was taken.
        assert (each.cost_us is not None) == each.reason.endswith(" us")


def test_a_matrix_that_is_computed_for_the_product_alone_costs_its_way_through_memory():
    """Weights of 8 bits: a library would be given four times the bytes, written and read again."""
    b = Builder()
    x, w = b.parameter(TensorType(F32, (1, 1024))), b.parameter(TensorType(I8, (4096, 1024)))
    dot = b.dot_general(x, b.convert(w, F32), contract=((1,), (1,)))
    graph = b.graph("quantised", [dot])
    # As quick as the sum of a matrix in memory.
    alone = the(decide(row(F32), CPU, on_cpu(f32=SLOW))).candidates[0].cost_us
    choose = on_cpu(f32=Curve((MANY,), (0.9 * alone,)))
    assert not the(decide(row(F32), CPU, choose)).summed
    assert the(decide(graph, CPU, choose)).summed
    (launch,) = planned(graph, choose).launches
    assert launch.step.kernel.inputs[0].type.dtype in (I8, F32)


def test_equal_products_are_costed_once_and_are_each_decided():
    b = Builder()
    x = b.parameter(TensorType(F32, (1, 64)))
    for _ in range(3):
        x = b.dot_general(x, b.parameter(TensorType(F32, (64, 64))), contract=((1,), (1,)))
    decisions = decide(b.graph("layers", [x]), CPU, on_cpu(f32=SLOW))
    assert [d.name for d in decisions.values()] == [
        "dot_general", "dot_general.2", "dot_general.3",
    ]  # fmt: skip
    first, *others = (d.candidates for d in decisions.values())
    assert all(x == first for x in others)


LOOP = """graph f(%0: f32[1,64], %1: f32[64,64]) {
  %2, %3 = scan(%0, %1) {length = 8, reverse = False, carried = 2, scanned = 0}
    body(%4: f32[1,64], %5: f32[64,64]) {
    %6 = dot_general(%4, %5) {lhs_batch = (), rhs_batch = (), lhs_contract = (1),
      rhs_contract = (0)} : f32[1,64]
    return %6, %5
  } : f32[1,64], f32[64,64]
  return %2
}"""


def test_a_product_in_a_loop_is_decided_as_loops_are():
    graph = verify(parse(LOOP))
    decided = the(decide(graph, CPU, on_cpu()))
    said = {c.strategy: c.reason for c in decided.candidates}
    assert SUM in said and "onednn" in said
    (launch,) = planned(graph, on_cpu()).launches
    (inner,) = launch.step.plans[0].launches
    assert any(c.of for c in inner.candidates)


STRIDED = """graph f(%0: f32[8,64], %1: f32[16,64,8]) {
  %2 = dot_general(%0, %1) {lhs_batch = (0), rhs_batch = (2), lhs_contract = (1),
    rhs_contract = (1)} : f32[8,16]
  return %2
}"""


def test_matrices_that_no_library_reads_in_place_are_not_copied_for_one():
    plan = planned(order_matmuls(verify(parse(STRIDED)))[0], on_cpu())
    assert not any(x.step.ops == (COPY,) for x in plan.launches)


def attention():
    b = Builder()
    q = b.parameter(TensorType(F32, (8, 1, 64)))
    k, v = (b.parameter(TensorType(F32, (8, 512, 64))) for _ in range(2))
    scores = b.dot_general(q, k, batch=((0,), (0,)), contract=((2,), (2,)))
    peak = b.reduce(scores, "maximum", (2,), keepdims=True)
    weights = b.node("exponential", b.node("subtract", scores, b.broadcast(peak, (8, 1, 512))))
    total = b.reduce(weights, "add", (2,), keepdims=True)
    weights = b.node("divide", weights, b.broadcast(total, (8, 1, 512)))
    return b.graph(
        "attention", [b.dot_general(weights, v, batch=((0,), (0,)), contract=((2,), (1,)))]
    )


def test_two_products_with_a_softmax_in_between_are_decided_together():
    decisions = decide(attention(), CPU, on_cpu())
    one, other = (d.candidates for d in decisions.values())
    strategies = {c.strategy for c in one}
    assert one == other and {SUM, "attention", "apart"} <= strategies
    (launch,) = planned(attention(), on_cpu()).launches
    assert launch.schedule.strategy == "attention"


class _Off(Steering):
    def runs(self, name):
        return name != "sum-products"


def test_nothing_is_decided_where_the_pass_is_switched_off():
    with steered(_Off()):
        assert decide(row(F16), CPU, on_cpu()) == {}


@pytest.mark.parametrize("choose", [on_cpu(), ON_GPU], ids=["cpu", "gpu"])
def test_a_product_without_elements_is_no_sum(choose):
    decided = the(decide(row(F32, 8, 0), CPU, choose))
    assert not decided.summed
    assert decided.candidates[0].reason == "there is nothing to compute"
    assert planned(row(F32, 8, 0), choose).output_types[0].shape == (1, 0)


@pytest.mark.parametrize("choose", [on_cpu(), ON_GPU], ids=["cpu", "gpu"])
def test_a_product_without_terms_is_decided_as_any_other(choose):
    assert the(decide(row(F32, 0, 4), CPU, choose)).candidates
    assert planned(row(F32, 0, 4), choose).output_types[0].shape == (1, 4)
