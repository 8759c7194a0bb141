"""Which remedies are tried, and for how long: the first of each kind before the second of one, what
was asked for before all, and none for ever."""

import pytest

from compiler_core.pipeline import first_calls
from compiler_core.pipeline.trials import remedies as trials
from compiler_core.pipeline.trials import trial
from compiler_core.report import Trial
from tests.compiler_core.pipeline.trying import CHANGING, ITEM, trial_of, tried
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("few_samples")]

# Two numbers, one kind of change; and a print, another.
THREE = """
    import torch

    @torch.compile
    def f(x):
        low = x.min().item()
        x = x - low
        high = x.max().item()
        print(high)
        return x / high

    f(torch.randn(8, 16))
"""


def lines_tried(found):
    return {f.line for f in found if not f.trial.left_out}


def test_the_first_of_each_kind_of_change_is_tried_before_the_second_of_one(monkeypatch):
    monkeypatch.setattr(trials, "MOST_TRIALS", 2)
    program, found = tried(THREE)
    assert lines_tried(found) == {6, 9}, program.findings
    (left,) = {f.line: f.trial for f in found if f.trial.left_out}.items()
    assert left[0] == 8 and "which was not tried: the time" in left[1].summary
    assert not left[1].source
    assert "1 left out for want of time" in program.stages[-1].summary


@pytest.mark.parametrize("line", thinned([6, 8, 9], kept=(8,)))
def test_what_is_asked_for_is_tried_whatever_the_time(line, monkeypatch):
    monkeypatch.setattr(trials, "MOST_SECONDS", -1.0)
    monkeypatch.setattr(trials, "MOST_SECONDS_OF_FIRST", -1.0)
    _, found = tried(THREE, trials_first=(line,))
    assert lines_tried(found) == {line}


def test_a_trial_that_takes_too_long_is_given_up_and_says_so(monkeypatch):
    monkeypatch.setattr(trials, "TRIAL", trials.Limit(0.0, 40.0))
    program, (entry,) = tried(ITEM)
    assert (
        "which was given up: a trial may take 0 s of work, and 40 s in all" in entry.trial.summary
    )
    assert entry.trial.left_out and not entry.trial.source
    assert program.status == "ok" and program.error is None
    assert "1 given up" in program.stages[-1].summary


def test_one_that_was_asked_for_may_take_longer(monkeypatch):
    monkeypatch.setattr(trials, "TRIAL", trials.Limit(60.0, 0.0))
    _, (entry,) = tried(ITEM, trials_first=(6,))
    assert entry.trial.source and not entry.trial.left_out


def test_what_was_asked_for_and_is_given_up_is_not_offered_to_be_tried_again(monkeypatch):
    monkeypatch.setattr(trials, "TRIAL_ASKED", trials.Limit(0.0, 0.0))
    _, (entry,) = tried(ITEM, trials_first=(6,))
    assert "which was given up" in entry.trial.summary and not entry.trial.left_out


def test_calls_that_take_long_are_made_in_fewer_rounds(monkeypatch):
    monkeypatch.setattr(trials, "TRIAL_OF_COMPILING", trials.Limit(6.0, 60.0))
    monkeypatch.setattr(first_calls, "_ROUNDS", 1000)
    first = trial_of(CHANGING, "recompile").times[0]
    assert first.first_calls and 2 <= first.samples < 1000


def test_the_first_of_each_kind_of_change_have_the_time_in_equal_parts(monkeypatch):
    given = []

    def slow(c, changed, limit, *, again):
        given.append(limit.most)
        return Trial("", summary=changed.what, left_out=True)

    monkeypatch.setattr(trials, "trial_of", slow)
    monkeypatch.setattr(trials, "LAST_STEP", 8.0)
    monkeypatch.setattr(trials, "LEAST_SECONDS", 1.0)
    tried(THREE)
    # The first of two kinds leaves the second as much, and the rest is for what comes after them.
    assert given[0] <= 4.0 < given[1] <= 8.0 and len(given) == 3


def test_others_than_the_core_take_part_where_there_is_time_for_them(monkeypatch):
    for times, compilers in ((0.0, ["core", "xla"]), (1e4, ["core"])):
        monkeypatch.setattr(trial, "_TIMES", times)
        _, (entry,) = tried(ITEM, compilers=("core", "xla"))
        assert [time.compiler for time in entry.trial.times] == compilers
        assert ("left out of the trial" in entry.trial.summary) == (compilers == ["core"])
