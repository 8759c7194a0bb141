"""The constants of the cost model, fitted to a machine's times."""

from dataclasses import replace
from math import inf

import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.measure import probe
from compiler_core.measure.machine import Used, Watch
from compiler_core.measure.probe import Times, fitted, measured
from compiler_core.measure.probe_kernels import MOVED, WEIGHED, probes
from compiler_core.measure.probe_products import ways
from compiler_core.plan.choose import OnCpu
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.cpu.model import cpu_us
from compiler_core.schedule.figures import Curve, Figures, Level
from compiler_core.schedule.targets import CpuTarget
from tests.compiler_core.plan.planned import launched

LEVELS = tuple(
    Level(2**62 if size == MOVED[-1] else 2 * size, 80e3 / 2**i, 280e3 / 2**i)
    for i, size in enumerate(MOVED)
)
MACHINE = Figures(
    "a machine", 4, 30e3, LEVELS, 3.0, 0.5, 0.01, 12.0, 7.0, 0.002, 0.0, 4.0,
    {op: 5.0 + i for i, op in enumerate(WEIGHED)}, converted_f16=6.0,
)  # fmt: skip


def as_modelled(figures):
    """The times that the model says of a machine with these figures."""
    target = CpuTarget(figures=figures, waking_us=figures.waking_us)

    def times(waking_us):
        chosen = replace(target, waking_us=waking_us)
        return {
            name: cpu_us(p.kernel, choose_cpu(p.kernel, chosen)[0], target)
            for name, p in probes().items()
        }

    return Times(times(inf), times(0.0), MACHINE.cores)


def test_the_figures_that_the_model_has_are_found_again():
    found = fitted(as_modelled(MACHINE), probes(), "a machine")
    for one, other in zip(found.levels, MACHINE.levels, strict=True):
        assert (one.nbytes, one.alone) == pytest.approx((other.nbytes, other.alone), rel=0.02)
        # What waking takes is as much as the smallest working sets do.
        assert one.shared == pytest.approx(other.shared, rel=0.15)
    assert found.weights == pytest.approx(MACHINE.weights, rel=0.02)
    plain = ("ops", "waking_us", "call_us", "row_us", "scanned", "tupled", "gathered_us")
    for name in (*plain, "converted", "converted_f16"):
        assert getattr(found, name) == pytest.approx(getattr(MACHINE, name), rel=0.02), name


def test_all_cores_move_no_more_than_each_alone_together():
    times = as_modelled(MACHINE)
    smallest = f"moved_{MOVED[0]}"
    quick = {**times.shared, smallest: MACHINE.call_us + MACHINE.waking_us}
    level = fitted(Times(times.alone, quick, MACHINE.cores), probes(), "a machine").levels[0]
    assert level.shared == pytest.approx(MACHINE.cores * level.alone, rel=0.01)


def test_of_several_rounds_the_least_time_of_each_kernel_counts():
    def took(call_us, chain_us):
        return Times({"call": call_us, "chain": chain_us}, {"call": 2 * call_us}, 4)

    found = probe.least([took(1.0, 9.0), took(3.0, 8.0)])
    assert found == Times({"call": 1.0, "chain": 8.0}, {"call": 2.0}, 4)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("others", "seconds", "busy"),
    [((0.0,), 600.0, False), ((1.5, 0.0), 600.0, False), ((1.5,), 0.0, True)],
    ids=("quiet", "quiet at last", "busy till the end"),
)
def test_it_is_measured_again_until_nobody_disturbs_or_the_time_is_over(
    monkeypatch, others, seconds, busy
):
    """Others take so much of two processors in each round."""
    rounds = iter(others)
    monkeypatch.setattr(Watch, "used", lambda self: Used(1.0, 2, next(rounds)))
    assert measured(calls=1, seconds=seconds).busy is busy
    assert [*rounds] == []


@pytest.mark.cpu
def test_a_machine_has_figures_by_which_more_takes_longer():
    found = measured(calls=3)
    assert "processor" in found.machine
    assert found.ops > 0 and all(weight > 0 for weight in found.weights.values())
    assert found.moving_us(2**28) > found.moving_us(2**16) > 0
    assert {way.partition(",")[0] for way in found.vectors} >= {"torch", "registers"}
    assert all(x.measured_us[-1] > x.measured_us[0] > 0 for x in found.vectors.values())


@pytest.mark.parametrize("row", [True, False])
@pytest.mark.parametrize("by", ["rows", "columns"])
def test_a_way_that_is_measured_is_called_what_a_plan_calls_it(row, by):
    """Of a product of a program, not of the probe."""
    k, n = 96, 160
    b = Builder()
    at, shape = (1, (n, k)) if by == "rows" else (0, (k, n))
    x, w = (b.parameter(TensorType(F32, s)) for s in ((1, k), shape))
    sides = [(x, 1), (w, at)] if row else [(w, at), (x, 1)]
    (left, one), (right, other) = sides
    dot = b.dot_general(left, right, contract=((one,), (other,)))
    way = f"torch, f32, {'row' if row else 'column'}, by {by}"
    known = {way: Curve((k * n,), (1e-3,))}
    figures = replace(MACHINE, levels=(Level(2**62, 1e12, 1e12),), vectors=known)
    target = CpuTarget(figures=figures, waking_us=figures.waking_us)
    assert way in {x.name for x in ways(target)}
    assert launched(b.graph("f", [dot]), OnCpu(target)).schedule.strategy == "torch"
