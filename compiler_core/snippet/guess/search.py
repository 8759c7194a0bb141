"""The search for a guess that succeeds: likeliest values first; then, starting from the guesses
that got furthest into the program, other values of the parameters named in the line where they
ended."""

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiler_core.inputs import Arguments, Call
from compiler_core.snippet.guess.context import Option
from compiler_core.snippet.guess.trial import Outcome

MOST_TRIALS = 400
# Seconds of this thread's CPU time, so that a busy machine finds what an idle one does.
MOST_SECONDS = 8.0
# The cost of changing a parameter that the line where a guess ended does not name.
_UNNAMED = 3


@dataclass(frozen=True)
class Slot:
    """A parameter that needs a value: its name and options, whether it is the constructor's, and
    whether it is passed by keyword."""

    name: str
    options: Sequence[Option]
    constructor: bool = False
    keyword: bool = False


@dataclass(frozen=True)
class Found:
    """A guess with its outcome, and the option chosen for each slot."""

    call: Call
    outcome: Outcome
    chosen: tuple[Option, ...]
    trials: int


def search(
    slots: Sequence[Slot],
    call_of: Callable[[Sequence[Option]], Call],
    attempt: Callable[[Call], Outcome],
    named_at: Callable[[tuple[int, ...]], frozenset[str]],
) -> Found:
    """The first guess that succeeds, else the one that got furthest. `named_at` returns the names
    in the lines where a guess ended."""
    start, best = None, None
    first = (0,) * len(slots)
    queue: list[tuple[tuple[int, ...], int, tuple[int, ...]]] = [((), 0, first)]
    tried, trials = set[tuple[int, ...]](), 0
    while queue:
        _, cost, places = heapq.heappop(queue)
        if places in tried:  # from another guess, which got further
            continue
        tried.add(places)
        chosen = tuple(slot.options[i] for slot, i in zip(slots, places, strict=True))
        outcome, trials = attempt(call_of(chosen)), trials + 1
        start = start or time.thread_time()  # the first one imports what trials need
        found = Found(call_of(chosen), outcome, chosen, trials)
        if outcome.ok:
            return found
        if best is None or outcome.lines > best.outcome.lines:
            best = found
        if outcome.absent:  # no other value brings it
            break
        if trials >= MOST_TRIALS or time.thread_time() - start > MOST_SECONDS:
            break
        named = named_at(outcome.lines)
        for at, slot in enumerate(slots):
            changed = (*places[:at], places[at] + 1, *places[at + 1 :])
            if changed[at] < len(slot.options) and changed not in tried:
                more = cost + (1 if slot.name in named else _UNNAMED)
                progress = tuple(-line for line in outcome.lines)
                heapq.heappush(queue, ((*progress, more), more, changed))
    assert best is not None
    return best


def call_of(name: str, slots: Sequence[Slot], chosen: Sequence[Option], construct: bool) -> Call:
    """The call that gives each slot its chosen value."""
    inputs, constructor = (
        Arguments(
            tuple(o.value for s, o in zip(slots, chosen, strict=True)
                  if s.constructor is own and not s.keyword),
            tuple((s.name, o.value) for s, o in zip(slots, chosen, strict=True)
                  if s.constructor is own and s.keyword),
        )
        for own in (False, True)
    )  # fmt: skip
    return Call(inputs, name, constructor if construct else None)
