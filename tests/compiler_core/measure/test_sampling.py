"""Samples are taken in turn, of results that are checked."""

import time
from dataclasses import dataclass

import pytest
import torch

from compiler_core.errors import MeasureError
from compiler_core.measure.runnable import Runnable
from compiler_core.measure.sampling import BLOCKS, MIN_ROUNDS, Samples, sample

INPUTS = [(torch.full((4,), float(i)),) for i in range(3)]


def noting(calls: list[tuple[str, float]], name: str) -> Runnable:
    def call(given):
        calls.append((name, given[0][0].item()))
        return [given[0] + 1]

    return Runnable(tuple, call, list)


@dataclass(frozen=True)
class Noted:
    samples: Samples
    calls: list[tuple[str, float]]
    progress: list[float]


@pytest.fixture(scope="module")
def noted() -> Noted:
    calls: list[tuple[str, float]] = []
    progress: list[float] = []
    runnables = {name: noting(calls, name) for name in ("eager", "core", "xla")}
    samples = sample(runnables, INPUTS, budget_s=0.02, progress=progress.append)
    return Noted(samples, calls, progress)


def test_every_compiler_has_a_sample_in_every_round(noted):
    ns = noted.samples.ns
    assert {len(each) for each in ns.values()} != {0}
    assert len({len(each) for each in ns.values()}) == 1
    assert len(ns["eager"]) >= MIN_ROUNDS


def test_rounds_are_taken_in_blocks_with_pauses_between(noted):
    blocks = noted.samples.blocks
    assert len(blocks) == len(noted.samples.ns["eager"]) and list(blocks) == sorted(blocks)
    assert set(blocks) == set(range(BLOCKS))
    assert noted.samples.used.seconds > 0.02


def test_others_go_first_between_blocks_and_their_time_is_no_time_of_the_measurement():
    calls: list[tuple[str, float]] = []
    rests: list[int] = []

    def rest() -> None:
        rests.append(len(calls))
        time.sleep(0.3 if len(rests) == 3 else 0.0)

    begun = time.perf_counter()
    eager = {"eager": noting(calls, "eager")}
    samples = sample(eager, INPUTS, budget_s=0.02, progress=[].append, rest=rest)
    took = time.perf_counter() - begun
    assert len(rests) == BLOCKS - 1
    # There are samples before and after each.
    assert rests == sorted({*rests}) and rests[0] > 0 and rests[-1] < len(calls)
    assert samples.used.seconds < took - 0.3


def test_what_is_slower_than_all_that_is_measured_is_warmed_up_once():
    calls: list[tuple[str, float]] = []
    own = noting(calls, "eager")
    slow = Runnable(tuple, lambda given: time.sleep(0.03) or own.call(given), list)
    runnables = {"eager": slow, "core": noting([], "core")}
    samples = sample(runnables, INPUTS, budget_s=0.02, progress=[].append)
    assert samples.warm_rounds > 1
    assert len(calls) == 1 + len(samples.ns["eager"])


def test_they_take_turns_and_turns_begin_with_another(noted):
    order = [name for name, _ in noted.calls]
    rounds = order[noted.samples.warm_rounds * 3 :]
    # A sample may be many calls: consecutive calls of one compiler are one turn.
    turns = [n for i, n in enumerate(rounds) if i == 0 or rounds[i - 1] != n]
    assert turns[:3] == ["eager", "core", "xla"]
    assert {tuple(turns[i : i + 3]) for i in range(0, 6, 3)} <= {
        ("eager", "core", "xla"), ("core", "xla", "eager"), ("xla", "eager", "core"),
    }  # fmt: skip


@pytest.mark.parametrize(("us", "calls"), [(10, 5), (40, 2), (60, 1)])
def test_what_is_too_short_for_the_clock_is_called_several_times(us: int, calls: int):
    def timed(given):
        return us * 1000 * len(given), [given[-1][0] + 1]

    own = Runnable(tuple, lambda given: [given[0] + 1], list, timed=timed)
    samples = sample({"eager": own}, INPUTS, budget_s=0.001, progress=[].append)
    assert samples.calls == {"eager": calls}


def test_the_kept_results_are_those_of_timed_calls_on_the_named_inputs(noted):
    for result in noted.samples.results.values():
        assert torch.equal(result[0], noted.samples.checked[0] + 1)


def test_calls_in_a_row_have_different_inputs(noted):
    calls = noted.calls
    repeated = [i for i in range(1, len(calls)) if calls[i] == calls[i - 1]]
    assert len(repeated) < len(calls) / 4


def test_progress_ends_below_or_at_the_whole(noted):
    seen = noted.progress
    assert seen == sorted(seen) and 0 < seen[-1] <= 1


def test_a_program_that_fails_is_named():
    def broken(given):
        raise ValueError("no such kernel")

    runnables = {"eager": noting([], "eager"), "core": Runnable(tuple, broken, list)}
    with pytest.raises(
        MeasureError, match="core's program does not run: ValueError: no such kernel"
    ):
        sample(runnables, INPUTS, budget_s=0.01, progress=lambda _: None)


def test_a_program_that_fails_at_a_later_call_is_named_too():
    calls = []

    def grows(given):
        calls.append(given)
        if len(calls) > 50:
            raise ValueError("grew")
        return given

    runnables = {"eager": Runnable(tuple, grows, list)}
    said = "eager's program fails after other calls of it: ValueError: grew"
    with pytest.raises(MeasureError, match=said):
        sample(runnables, INPUTS, budget_s=0.01, progress=lambda _: None)


@pytest.mark.parametrize("us", [1, 100])
def test_each_call_of_what_writes_to_its_inputs_begins_with_their_values(us: int):
    """Many calls in a sample, or one: also where one is warmed up and leads in."""
    seen: list[float] = []

    def doubles(given):
        seen.append(given[0][0].item())
        given[0].mul_(2)
        end = time.perf_counter_ns() + us * 1000
        while time.perf_counter_ns() < end:
            pass
        return [given[0]]

    def anew(inputs):
        return tuple(x.clone() for x in inputs)

    writes = Runnable(anew, doubles, list, anew=anew)
    samples = sample({"eager": writes, "core": writes}, INPUTS, budget_s=0.02, progress=[].append)
    assert set(seen) == {0.0, 1.0, 2.0}
    assert torch.equal(samples.results["core"][0], samples.checked[0] * 2)
