"""The outcome of a remedy, in one sentence."""

from types import SimpleNamespace

import pytest

from compiler_core.pipeline.trials.text import summary
from compiler_core.report import TrialCounts, TrialTime

pytestmark = pytest.mark.null


def time_of(compiler, before, after, verdict, first_calls=False):
    ratio = before / after
    return TrialTime(compiler, *[before] * 3, *[after] * 3, ratio, 1, 1, verdict, 9, first_calls)


SIDE = SimpleNamespace(c=SimpleNamespace(captured=()))


def said(*times):
    text = summary("it is left out", TrialCounts(), TrialCounts(), times, SIDE)
    return text.partition("as before")[2]


def test_the_gain_is_said_of_each_compiler_where_they_differ():
    core = time_of("core", 120, 119, "same within noise")
    inductor = time_of("inductor", 485, 127, "faster")
    assert said(core, inductor) == (
        "; here no faster, as far as noise allows with core (120 µs, then 119), "
        "faster with TorchInductor (485 µs, then 127)"
    )


def test_where_all_are_alike_it_is_said_once():
    slow = time_of("core", 10, 20, "slower")
    assert said(slow, slow) == "; here that is slower"
    assert said(time_of("core", 20, 10, "faster")) == said() == ""


def test_first_calls_are_told_from_those_that_nothing_is_compiled_for():
    calls = time_of("core", 800_000, 420_000, "faster", first_calls=True)
    later = time_of("core", 24, 24, "same within noise")
    assert "faster with core's first calls (800 ms, then 420)" in said(calls, later)


@pytest.mark.parametrize(
    ("before", "after", "clause"),
    [
        (100.0, 160.0, "compiling takes 160 ms, not 100"),
        (100.0, 110.0, "compilers make as much of it as before"),
        # The first one has also loaded the compilers.
        (4195.0, 250.0, "compilers make as much of it as before"),
    ],
)
def test_a_compilation_is_said_to_be_longer_and_never_to_be_shorter(before, after, clause):
    counts = [TrialCounts(compile_ms=ms) for ms in (before, after)]
    assert summary("it is left out", *counts, [], SIDE) == f"it is left out: {clause}"
