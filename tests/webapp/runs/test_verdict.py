"""What a run came to, in a sentence."""

import pytest

from compiler_core import report
from webapp.runs import events, lifecycle
from webapp.runs.models import Run, State
from webapp.runs.verdict import LONGEST, verdict, where


def program(name="f", **fields):
    return report.Program(name, "torch", report.Entry(1), **fields)


def test_launches_and_what_each_compiler_gains():
    core = report.Timing(5, 5, 5, 9, speedup=1.9, speedup_low=1.8, speedup_high=2, verdict="faster")
    timings = {"eager": report.Timing(9, 9, 9, 9), "core": core}
    summary = report.Summary(launches_eager=6, launches_core=3)
    whole = report.Report(programs=[program(timings=timings, summary=summary), program("g")])
    assert verdict(whole) == "f: 6 → 3 launches; core 1.90x [1.80, 2.00] faster. And 1 more."


def test_of_what_is_not_compiled_the_reason_is_said_and_no_ratio():
    core = report.Timing(5, 5, 5, 9, verdict="not compiled")
    breaks = [report.GraphBreak("TorchDynamo leaves all of f to Python", 6)]
    whole = report.Report(programs=[program(timings={"core": core}, graph_breaks=breaks)])
    assert verdict(whole) == "f: core not compiled: TorchDynamo leaves all of f to Python."


def test_a_single_launch_is_one():
    summary = report.Summary(launches_eager=7, launches_core=1)
    assert verdict(report.Report(programs=[program(summary=summary)])) == "f: 7 → 1 launch."


@pytest.mark.parametrize("sign", ["\n", "\u202e"])
def test_a_failure_in_signs_that_are_seen(sign):
    failure = report.Failure("capture", f"no{sign}way " + "x" * 500)
    found = verdict(report.Report(error=failure))
    assert found.startswith("Failed at capture: no way ")
    assert len(found) == LONGEST


def test_where_a_run_failed_is_one_line_of_a_log():
    failure = report.Failure("x\nINFO worker.service: run 1: done" + "y" * 500, "no")
    found = where(report.Report(error=failure))
    assert "\n" not in found and len(found) == LONGEST


@pytest.mark.django_db
def test_a_run_that_ends_has_it(run, story):
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    lifecycle.finish(run.pk, State.DONE)
    assert Run.objects.get().verdict == "double: compiled."
