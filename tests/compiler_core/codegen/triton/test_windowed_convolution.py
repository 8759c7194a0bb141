"""Convolutions whose windows are reduce axes, on a GPU: depthwise ones of any multiplier and their
gradients, alone and with what follows them."""

import itertools
from concurrent.futures import ProcessPoolExecutor

import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import BF16, F16, F32, F64, DType, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.choose import OnGpu
from compiler_core.plan.plan import Plan
from compiler_core.schedule.targets import TARGETS
from conformance.operations.cases_convolution import DEPTHWISE
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.codegen.triton.products import assert_graph_computed
from tests.compiler_core.codegen.triton.test_convolution import SAME, graph_of, plan_by, plan_of
from tests.sweep_plugin import crossed, thinned

pytestmark = pytest.mark.cpu


def alone(name: str, dtype: DType = F32) -> Graph:
    left, right, attrs = DEPTHWISE[name]
    b = Builder()
    x, w = (b.parameter(TensorType(dtype, sizes)) for sizes in (left, right))
    return b.graph("f", [b.convolution(x, w, **attrs)])


def strategies(plan: Plan) -> list[str]:
    return [x.schedule.strategy for x in plan.launches]


EVERY = list(itertools.product(DEPTHWISE, ("as chosen", "own columns")))
OWN_COLUMNS = ("twice", "channels last", "input gradient", "weight gradient")
KEPT = [x for x in EVERY if x[1] == "as chosen" or x[0] in OWN_COLUMNS]


@pytest.mark.parametrize(("name", "profile"), thinned(EVERY, KEPT))
def test_one_kernel_sums_over_windows(
    name: str, profile: str, interpreter_process: ProcessPoolExecutor
) -> None:
    graph = alone(name)
    with interpreter.constants(profile):
        plan = plan_by("windows", graph)
    assert strategies(plan) == ["windows"]
    assert_graph_computed(graph, plan, interpreter_process)


TOLERANCES = {F32: 2e-5, F64: 1e-12, F16: 4e-3}


@pytest.mark.parametrize(
    ("name", "dtype"), crossed(["same", "channels last", "input gradient"], TOLERANCES), ids=str
)
def test_what_follows_is_in_the_kernel(
    name: str, dtype: DType, interpreter_process: ProcessPoolExecutor
) -> None:
    graph = graph_of(*DEPTHWISE[name], dtype)
    plan = plan_of(graph)
    assert strategies(plan) == ["windows"]
    assert_graph_computed(graph, plan, interpreter_process, rtol=TOLERANCES[dtype])


LARGE = graph_of((32, 64, 56, 56), (64, 1, 3, 3), {**SAME, "groups": 64})


def test_the_text_reads_as_a_person_would_write_it(golden) -> None:
    (source,) = emit_plan(plan_of(LARGE)).values()
    golden(source.source.text)


@pytest.mark.parametrize("target", thinned(TARGETS, kept=("sm_90", "gfx942")))
def test_it_compiles_without_spills(target: str) -> None:
    plan = build_plan(fuse(values_of(LARGE), cost.GPU), OnGpu(TARGETS[target]))
    (source,) = emit_plan(plan).values()
    assert compile_offline(source, target).spills == 0


def test_every_way_is_shown_with_its_cost() -> None:
    (launch,) = plan_of(LARGE).launches
    refused, one, two, vendor = launch.candidates
    assert [x.strategy for x in launch.candidates] == [
        "implicit_gemm", "windows", "windows", "convolution",
    ]  # fmt: skip
    assert "empty tiles" in refused.reason and refused.cost_us is None
    assert one.chosen and one.cost_us < min(two.cost_us, vendor.cost_us)
    assert "each thread walks the 9 rows of its own" in one.reason
    assert "as fast as a sum over windows" in vendor.reason


def test_arithmetic_bounds_large_windows() -> None:
    """7 x 7 places of bf16: more instructions than memory takes time."""
    attrs = {"low": (3, 3), "high": (3, 3), "groups": 96}
    (launch,) = plan_of(graph_of((32, 96, 56, 56), (96, 1, 7, 7), attrs, BF16)).launches
    moving = sum(launch.step.traffic()) / TARGETS["sm_90"].bandwidth * 1e6
    assert launch.schedule.strategy == "windows" and launch.cost_us > 2 * moving


def test_tiles_are_chosen_where_a_group_fills_them() -> None:
    (launch,) = plan_of(graph_of((8, 256, 28, 28), (256, 8, 3, 3), {**SAME, "groups": 32})).launches
    assert launch.schedule.strategy == "implicit_gemm"
    assert "windows" in {x.strategy for x in launch.candidates}


def test_a_kernel_that_needs_whole_rows_stays_apart() -> None:
    b = Builder()
    x, w = (b.parameter(TensorType(F32, s)) for s in ((2, 4, 9, 9), (4, 1, 3, 3)))
    graph = b.graph("f", [b.reduce(b.convolution(x, w, groups=4), "add", (2, 3))])
    plan = plan_of(graph)
    assert strategies(plan)[0] == "windows"
    assert any("reduces" in c.reason for c in plan.launches[0].candidates if c.cost_us is None)


def test_gaps_in_an_image_are_left_to_who_skips_them() -> None:
    attrs = {
        "groups": 64, "window_reversal": (True, True), "lhs_dilation": (2, 2), "low": (1, 1),
        "high": (2, 2),
    }  # fmt: skip
    b = Builder()
    x, w = (b.parameter(TensorType(BF16, s)) for s in ((64, 64, 28, 28), (64, 1, 3, 3)))
    (launch,) = plan_of(b.graph("f", [b.convolution(x, w, **attrs)])).launches
    assert launch.schedule.strategy == "convolution" and "gaps" in launch.schedule.reason
