"""What a plan decides, why, and that whoever reads it decides nothing."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from compiler_core.codegen.c import emit as c
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.choose import IN_C, OnGpu
from compiler_core.plan.cpu import sorts
from compiler_core.plan.library import LibrarySchedule
from compiler_core.runtime import framework, gpu
from compiler_core.schedule.cpu import schedule as cpu_schedule
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen import windows
from tests.compiler_core.plan.planned import launched, planned, product
from tests.compiler_core.plans import ON_CPU, ON_GPU, run_plan
from tests.compiler_core.random_graphs import graphs

H100 = resolve("sm_90")


def reduction(shape, axes):
    b = Builder()
    return b.graph("total", [b.reduce(b.parameter(TensorType(F32, shape)), "add", axes)])


def transposed(rows, columns):
    b = Builder()
    x, y = (b.parameter(TensorType(F32, s)) for s in ((columns, rows), (rows, columns)))
    return b.graph("transposed", [b.node("add", b.transpose(x, (1, 0)), y)])


# -- kernels


def test_a_long_reduction_on_a_gpu_is_two_launches_whose_scratch_has_a_place():
    plan = planned(reduction((4_000_000,), (0,)), ON_GPU)
    first, last = plan.launches
    assert first.step.name.endswith("_partial") and last.step.name.endswith("_finish")
    assert first.step.outputs[0].name == last.step.inputs[0].name
    (scratch,) = (p for p in plan.placements if p.offset is not None)
    assert (scratch.name, scratch.first, scratch.last) == (first.step.outputs[0].name, 0, 1)
    assert plan.arena_bytes >= scratch.type.bytes
    costs = {x.strategy: x.cost_us for x in first.candidates}
    assert costs["split"] < costs["looped"] and costs["persistent"] is None


def test_results_of_rows_are_written_where_the_parts_of_a_split_are_combined():
    """Softmax, its maxima and its sums: no further launch for these."""
    b = Builder()
    x = b.parameter(TensorType(F32, (2, 40_000)))
    most = b.reduce(x, "maximum", (1,))
    powers = b.node(
        "exponential", b.node("subtract", x, b.broadcast_in_dim(most, (2, 40_000), (0,)))
    )
    total = b.reduce(powers, "add", (1,))
    shares = b.node("divide", powers, b.broadcast_in_dim(total, (2, 40_000), (0,)))
    graph = b.graph("f", [shares, most, b.node("log", total)])
    plan = planned(graph, ON_GPU)
    ends = [x.step.name.rpartition("_")[2] for x in plan.launches]
    assert ends == ["partial", "finish", "apply"]
    given = np.random.default_rng(0).standard_normal((2, 40_000)).astype(np.float32)
    for found, wanted in zip(run_plan(plan, [given]), evaluate(graph, [given]), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_the_same_reduction_on_a_cpu_is_one():
    launch = launched(reduction((4_000_000,), (0,)), ON_CPU)
    assert launch.schedule.strategy == "split"
    assert {x.strategy for x in launch.candidates} == {"rows", "split"}


def test_a_transpose_is_tiled_on_both():
    on_cpu, on_gpu = (launched(transposed(2048, 4096), x) for x in (ON_CPU, ON_GPU))
    assert on_cpu.schedule.parameters["tile"] and on_gpu.schedule.strategy == "tiled"
    along = [x.cost_us for x in on_cpu.candidates if "along the last axis" in x.reason]
    assert min(along) > 2 * on_cpu.cost_us
    tiled, flat = on_gpu.candidates[:2]
    assert tiled.chosen and flat.cost_us > 2 * tiled.cost_us


def elementwise(size):
    b = Builder()
    return b.graph("small", [b.node("tanh", b.parameter(TensorType(F32, (size,))))])


@pytest.mark.parametrize(("size", "threads"), [(1000, False), (1_000_000, True)])
def test_one_thread_and_all_of_them_are_candidates_of_a_loop(size, threads):
    launch = launched(elementwise(size), ON_CPU)
    one, all_of_them = launch.candidates
    assert (one.chosen, all_of_them.chosen) == (not threads, threads)
    assert launch.schedule.threads == threads
    assert "one thread" in one.reason and "the threads" in all_of_them.reason


def test_a_loop_inside_a_loop_wakes_threads_for_more_work_only():
    graph = elementwise(50_000)
    outside, inside = (launched(graph, choose) for choose in (ON_CPU, ON_CPU.inside()))
    assert outside.schedule.threads and not inside.schedule.threads


def test_windows_are_read_in_columns_as_a_window_uses_its_lines_up():
    graph, _ = windows.pooled((8, 16, 64, 64), "maximum", 3, 2)
    launch = planned(graph, ON_CPU).launches[-1]
    columns = min(x.cost_us for x in launch.candidates if x.strategy == "columns")
    rows = min(x.cost_us for x in launch.candidates if x.strategy == "rows")
    assert launch.schedule.strategy == "columns" and columns < rows / 2


def test_a_kernel_of_no_points_is_no_launch():
    b = Builder()
    graph = b.graph("none", [b.node("tanh", b.parameter(TensorType(F32, (0, 4))))])
    for choose in (ON_CPU, ON_GPU):
        plan = planned(graph, choose)
        assert not plan.launches and plan.outputs[0] in plan.buffers


@given(graphs())
@settings(max_examples=25, deadline=None)
def test_what_is_chosen_is_what_the_model_says_is_cheapest(graph):
    for choose in (ON_CPU, ON_GPU, OnGpu(replace(H100, processors=10_000))):
        for launch in planned(graph, choose).walk():
            (chosen,) = (x for x in launch.candidates if x.chosen)
            possible = [x.cost_us for x in launch.candidates if x.cost_us is not None]
            assert chosen.cost_us == min(possible)
            assert chosen.reason


# -- who reads a plan


def test_every_strategy_of_a_plan_is_run_by_one_and_only_one():
    assert set(c._CALLS) == IN_C
    assert not IN_C & set(framework._RUN)
    on_cpu = {
        *cpu_schedule.STRATEGIES,
        *sorts.IN_C,
        "attention",
        "registers",
        "direct",
        "blas",
        "onednn",
        "torch",
        "convolution",
        "library",
        "control",
        "host",
    }
    assert IN_C | set(framework._RUN) == on_cpu
    assert {"vendor", "convolution", "library", "host", "flat", "looped", "attention"} <= set(
        gpu._BIND
    )


def test_the_printer_prints_what_the_plan_says_whatever_it_is():
    plan = planned(transposed(512, 1024), ON_CPU)
    (launch,) = plan.launches
    assert "omp parallel" in c.emit(plan).source.text
    alone = replace(launch, schedule=replace(launch.schedule, threads=False, tile=None))
    text = c.emit(replace(plan, launches=(alone,))).source.text
    assert "omp parallel" not in text and "_tile" not in text


def test_the_framework_runs_a_product_that_the_plan_gives_it():
    plan = planned(product(8, 8, 8), ON_CPU)
    (launch,) = plan.launches
    moved = replace(plan, launches=(replace(launch, schedule=LibrarySchedule("torch")),))
    assert [s.entry for s in c.emit(plan).program.segments] == ["run0"]
    assert [s.entry for s in c.emit(moved).program.segments] == [""]
