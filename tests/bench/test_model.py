"""Predicted and measured times of launches, side by side."""

import pytest

from bench.model import Prediction, correlation, of_report, strategies, table
from compiler_core import report


def kernel(name: str, *together: str, cost: float | None = 4.0) -> report.Kernel:
    return report.Kernel(
        id=name, kind="loop", library=None, ops=["add"], bytes_read=3000, bytes_written=1000,
        lines=[], flops=500, backend="cpu", schedule=report.Schedule("flat"),
        candidates=[
            report.ScheduleCandidate("rows", cost_us=9.0),
            report.ScheduleCandidate("flat", cost_us=cost, chosen=True),
        ],
        chosen_with=list(together),
    )  # fmt: skip


def found(kernels: list[report.Kernel], *spent: tuple[str, float]) -> report.Report:
    events = [
        report.TimelineEvent(0.0, us, "kernel", name, kernel=name, graph=report.WHOLE)
        for name, us in spent
    ]
    program = report.Program(
        name="f", framework="torch", backend="cpu", kernels=kernels,
        timelines=[report.Timeline("core", 9.0, 9.0, 3, events)],
        measurement=report.Measurement(bandwidth=1e9, flops=1e9),
    )  # fmt: skip
    return report.Report(programs=[program])


def prediction(predicted: float, measured: float, strategy: str = "flat") -> Prediction:
    return Prediction("p", "", "k0", strategy, predicted, measured, measured / 2)


def test_a_launch_has_the_cost_it_was_chosen_by_its_time_and_its_floor():
    (one,) = of_report(found([kernel("k0")], ("k0", 6.0)), "p", "elementwise")
    assert one == Prediction("p", "elementwise", "k0", "flat", 4.0, 6.0, 4.0)
    assert one.ratio == 1.5


def test_launches_of_one_choice_are_one():
    both = [kernel("k0", "k0", "k1"), kernel("k1", "k0", "k1")]
    (one,) = of_report(found(both, ("k0", 6.0), ("k1", 2.0)), "p")
    assert (one.kernel, one.predicted_us, one.measured_us, one.floor_us) == ("k0", 4.0, 8.0, 8.0)


@pytest.mark.parametrize(
    ("kernels", "spent"),
    [([kernel("k0")], []), ([kernel("k0", cost=None)], [("k0", 6.0)])],
    ids=["it was not timed", "it has no cost"],
)
def test_a_launch_is_left_out_where(kernels, spent):
    assert not list(of_report(found(kernels, *spent), "p"))


def test_what_runs_several_times_in_a_call_has_the_mean_of_its_runs():
    (one,) = of_report(found([kernel("k0")], ("k0", 6.0), ("k0", 2.0)), "p")
    assert one.measured_us == 4.0


def test_only_the_order_counts_for_the_correlation():
    assert correlation(
        [prediction(1, 10), prediction(2, 400), prediction(3, 500)]
    ) == pytest.approx(1)
    assert correlation(
        [prediction(3, 10), prediction(2, 400), prediction(1, 500)]
    ) == pytest.approx(-1)
    assert correlation([prediction(1, 10), prediction(2, 400)]) is None
    assert correlation([prediction(1, 10), prediction(1, 400), prediction(1, 5)]) is None


def test_a_strategy_says_how_far_off_its_choices_are_predicted():
    most, other = strategies(
        [prediction(1, 1), prediction(1, 2), prediction(1, 4), prediction(1, 1, "rows")]
    )
    assert (most.name, most.choices, most.middle, most.of_floor) == ("flat", 3, 2.0, 0.5)
    assert (other.name, other.choices, other.low, other.high) == ("rows", 1, 1.0, 1.0)


def test_quartiles_of_two_choices_are_between_them():
    [two] = strategies([prediction(1, 1), prediction(1, 4)])
    assert (two.low, two.middle, two.high) == (1.75, 2.5, 3.25)


def test_the_choice_that_was_predicted_worst_is_printed_first():
    lines = list(
        table(
            [prediction(1, 1), prediction(1, 2), Prediction("q", "", "k7", "rows", 50.0, 1.0, 0.0)]
        )
    )
    assert lines[0].startswith("3 choices")
    assert (
        "q k7, rows: 50.0 us predicted, 1.0 measured" in lines[lines.index("predicted worst:") + 1]
    )
