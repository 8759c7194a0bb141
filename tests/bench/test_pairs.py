"""What repeated measurements say of their intervals, on numbers chosen by hand."""

import pytest

from bench.pairs import coverage
from compiler_core.report import Program, Report, Timing


def measured(value: float, low: float, high: float) -> Report:
    core = Timing(
        10.0, 10.0, 10.0, 20, speedup=value, speedup_low=low, speedup_high=high, verdict="faster"
    )
    eager = Timing(10.0 * value, 10.0, 10.0, 20)
    return Report(programs=[Program("f", "torch", timings={"eager": eager, "core": core})])


def test_intervals_that_hold_the_median_of_all_are_counted() -> None:
    found = [measured(2.0, 1.9, 2.1)] * 98 + [measured(3.0, 2.9, 3.1)] * 2
    (core,) = coverage(found)
    assert (core.compiler, core.pairs, core.holds, core.pooled) == ("core", 100, 98, 2.0)
    assert core.enough and core.implied == pytest.approx(0.0255, rel=0.01)


def test_too_narrow_intervals_are_not_enough() -> None:
    found = [measured(2.0, 1.99, 2.01)] * 92 + [measured(2.1, 2.09, 2.11)] * 8
    (core,) = coverage(found)
    assert not core.enough and core.between > core.implied
