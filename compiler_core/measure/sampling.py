"""Interleaved sampling: in each round every compiler's program is timed once, on fresh inputs.
Rounds are taken in blocks with pauses between them, so that what the machine does for a while is in
some of the blocks and not in all samples."""

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import torch

from compiler_core.errors import MeasureError, sentence_of
from compiler_core.measure.allocator import page_faults
from compiler_core.measure.machine import Used, Watch
from compiler_core.measure.rest import Rest, no_rest, pause
from compiler_core.measure.runnable import Runnable, Tensors
from compiler_core.measure.threads import on_processors_of_their_own

Progress = Callable[[float], None]

MIN_ROUNDS = 20
MAX_ROUNDS = 200
BLOCKS = 12
# What helps where only later calls fail.
_ANY_NUMBER = (
    "have it run any number of times: each timed call goes on from what those before have written"
)
# All pauses between blocks together, in budgets: what is measured for a second is spread over two.
_PAUSES = 1.0
# A program so slow that 20 rounds would take more than this many budgets gets fewer rounds.
_PATIENCE = 6
_FEWEST_ROUNDS = 5
_MAX_CALLS = 1000
_WARM_ROUNDS = (3, 30)
_WARM_SHARE = 0.3
_FAULTS_OF_NOISE = 16
# OpenMP's threads stop spinning after a fifth of this (compiler_core/__init__.py).
_PAUSE_S = 0.0005
_LONG_NS = 20e6


@dataclass(frozen=True)
class _Lasting:
    """The least nanoseconds of a sample, and how often its calls are counted anew by a trial: where
    calls are queued, one alone takes as long as the wait for it."""

    ns: int
    trials: int


# On a CPU a shorter sample would measure the clock; on a GPU, the wait at its end, of some 16 us.
_LASTING = {"cpu": _Lasting(50_000, 0), "cuda": _Lasting(1_000_000, 3)}


@dataclass(frozen=True)
class _Taken:
    """One sample: the host's nanoseconds, the device's where its events are there, and what the
    last call returned."""

    ns: int
    result: Any
    device_ns: float | None = None


@dataclass(frozen=True)
class Samples:
    """`ns[compiler][round]` are nanoseconds per call, `blocks[round]` is the block that the round
    was taken in. `calls` are the calls in one sample, `results` what the last timed calls returned
    for the inputs `checked`, and `faults` the page faults of the sampling. `used` says what else
    the machine did meanwhile, `bound` which threads were kept where, and `device_ns` are
    nanoseconds per call by the device's clock, of those compilers whose calls it can be asked of.
    """

    ns: Mapping[str, list[float]]
    blocks: Sequence[int]
    calls: Mapping[str, int]
    results: Mapping[str, Any]
    checked: Tensors
    faults: int
    warm_rounds: int
    used: Used
    bound: str = ""
    device_ns: Mapping[str, list[float]] = field(default_factory=dict)


def sample(
    runnables: Mapping[str, Runnable],
    inputs: Sequence[Tensors],
    *,
    budget_s: float,
    progress: Progress,
    rest: Rest = no_rest,
) -> Samples:
    """Takes rounds of samples until `budget_s` is spent: MIN_ROUNDS to MAX_ROUNDS, fewer for a very
    slow program, in up to BLOCKS blocks, between which others may go first by `rest`. `inputs` are
    sets of inputs that calls use in turn. Raises MeasureError naming the compiler whose program
    fails."""
    given = {name: _Sets(r, inputs) for name, r in runnables.items()}
    with undisturbed():
        estimate, warm_rounds = _warm_up(runnables, given, budget_s)
        calls = {n: _calls(n, given[n], estimate) for n in runnables}
        rounds = _rounds(sum(_turn_ns(estimate[n], calls[n]) for n in runnables), budget_s)
        ns: dict[str, list[float]] = {name: [] for name in runnables}
        device_ns: dict[str, list[float]] = {}
        results: dict[str, Any] = {}
        blocks: list[int] = []
        faults, watch = page_faults(), Watch()
        with on_processors_of_their_own() as bound:
            for block in _in_blocks(rounds, budget_s, progress, partial(pause, watch, rest)):
                number = len(blocks)
                for name in _in_turn(list(runnables), number):
                    results[name] = None
                    turn = given[name].turn(calls[name], number)
                    with _failing(name, "fails after other calls of it", _ANY_NUMBER):
                        _lead_in(runnables[name], turn[0], estimate[name])
                        taken = _timed(runnables[name], turn[1:])
                    results[name] = taken.result
                    ns[name].append(taken.ns / calls[name])
                    if taken.device_ns is not None:
                        device_ns.setdefault(name, []).append(taken.device_ns / calls[name])
                blocks.append(block)
        faults, used = page_faults() - faults, watch.used()
    checked = inputs[(len(blocks) - 1) % len(inputs)]
    return Samples(ns, blocks, calls, results, checked, faults, warm_rounds, used, bound, device_ns)


def _in_blocks(
    rounds: int, budget_s: float, progress: Progress, pauses: Callable[[float], None]
) -> Iterator[int]:
    """The block of each round, with the pauses between blocks. A block ends with its part of the
    rounds, or sooner with its part of the budget, as far as there are MIN_ROUNDS."""
    count = min(BLOCKS, rounds)
    for block in range(count):
        if block:
            pauses(budget_s * _PAUSES / (count - 1))
        deadline = time.perf_counter() + budget_s / count
        least = len(range(block, min(rounds, MIN_ROUNDS), count))
        for number in range(len(range(block, rounds, count))):
            if number >= least and time.perf_counter() > deadline:
                break
            yield block
        progress((block + 1) / count)


class _Sets:
    """The sets of inputs as one compiler's program is given them: prepared once, or for each call
    where it may write to them, so that none begins with what another has left."""

    def __init__(self, runnable: Runnable, inputs: Sequence[Tensors]) -> None:
        self.runnable, self._inputs = runnable, inputs
        self._prepared = [runnable.prepare(x) for x in inputs]

    def turn(self, calls: int, number: int) -> list[Any]:
        """One input for the lead-in and one for each call, no two in a row the same; every
        compiler's last call of a round is on the same inputs."""
        return self._given([(number - i) % len(self._inputs) for i in reversed(range(calls + 1))])

    def one(self, number: int) -> list[Any]:
        """The input of a call by itself."""
        return self._given([number % len(self._inputs)])

    def _given(self, places: Sequence[int]) -> list[Any]:
        anew = self.runnable.anew
        if anew is None:
            return [self._prepared[at] for at in places]
        made = [anew(self._inputs[at]) for at in places]
        self.runnable.finish(made)  # no copy is still under way when the clock starts
        return made


def _lead_in(runnable: Runnable, given: Any, ns: float) -> None:
    """Lets the previous compiler's threads fall asleep, then wakes this one's with a call that
    is not timed. A long call does both by itself."""
    time.sleep(_PAUSE_S)
    if ns < _LONG_NS:
        runnable.finished(given)


def _timed(runnable: Runnable, sets: Sequence[Any]) -> _Taken:
    """One call after the other, and on an accelerator one wait for all of them."""
    if runnable.timed is not None:
        return _Taken(*runnable.timed(sets))
    call, finish, result = runnable.call, runnable.finish, None
    begin, end = runnable.event(), runnable.event()
    start = time.perf_counter_ns()
    begin.record()
    for x in sets:
        result = call(x)
    end.record()
    finish(result)
    spent = time.perf_counter_ns() - start
    ms = begin.elapsed_time(end)
    return _Taken(spent, result, None if ms is None else ms * 1e6)


def _warm_up(
    runnables: Mapping[str, Runnable], given: Mapping[str, _Sets], budget_s: float
) -> tuple[dict[str, float], int]:
    """Calls everything in turn until no round faults pages any more: the heap has settled then,
    and so have caches of code. What takes longer than the whole budget is called once. Gives the
    fastest time of each."""
    fastest = dict.fromkeys(runnables, float("inf"))
    at_least, at_most = _WARM_ROUNDS
    start = time.perf_counter()
    quiet = 0
    for number in range(at_most):
        before = page_faults()
        for name, r in runnables.items():
            if number and fastest[name] > budget_s * 1e9:
                continue
            spent = _tried(name, r, given[name].one(number))
            fastest[name] = min(fastest[name], spent)
        quiet = quiet + 1 if page_faults() - before < _FAULTS_OF_NOISE else 0
        long = time.perf_counter() - start > budget_s * _WARM_SHARE
        if number + 1 >= at_least and (quiet >= at_least or long):
            break
    return fastest, number + 1


def _tried(name: str, runnable: Runnable, given: Sequence[Any]) -> int:
    with _failing(name, "does not run"):
        return _timed(runnable, given).ns


@contextmanager
def _failing(name: str, how: str, remedy: str = "") -> Iterator[None]:
    """Context in which what is raised is the failure of a compiler's program: one that goes on
    from its own changes may raise at the hundredth call."""
    try:
        yield
    except Exception as error:
        text = f"{name}'s program {how}: {sentence_of(error)}"
        raise MeasureError(text, remedy=remedy) from error


def _calls(name: str, sets: _Sets, estimate: dict[str, float]) -> int:
    """The calls of a sample; `estimate` has the time of one, and where calls are queued gets that
    of one among others."""
    lasting = _LASTING[sets.runnable.device]
    calls = _as_many(estimate[name], lasting.ns)
    for _ in range(lasting.trials):
        with _failing(name, "fails after other calls of it", _ANY_NUMBER):
            estimate[name] = _timed(sets.runnable, sets.turn(calls, 0)[1:]).ns / calls
        calls = _as_many(estimate[name], lasting.ns)
    return calls


def _as_many(ns: float, least: int) -> int:
    return max(1, min(_MAX_CALLS, -int(-least // ns)))


def _turn_ns(ns: float, calls: int) -> float:
    """How long a sample and its lead-in take."""
    return _PAUSE_S * 1e9 + ns * (calls + (ns < _LONG_NS))


def _rounds(round_ns: float, budget_s: float) -> int:
    possible = int(budget_s * 1e9 / round_ns)
    patient = max(_FEWEST_ROUNDS, int(_PATIENCE * budget_s * 1e9 / round_ns))
    return min(MAX_ROUNDS, max(possible, min(MIN_ROUNDS, patient)))


def _in_turn(names: Sequence[str], number: int) -> Iterator[str]:
    """The compilers, rotated by the round's number: none always runs after the same other."""
    first = number % len(names)
    yield from (*names[first:], *names[:first])


@contextmanager
def undisturbed() -> Iterator[None]:
    """No garbage collection between two readings of the clock, no autograd."""
    was = gc.isenabled()
    gc.disable()
    try:
        with torch.no_grad():
            yield
    finally:
        if was:
            gc.enable()
