"""A guess whose sizes do not fit, repaired by what the framework's message says of them
(ways.py)."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from compiler_core.inputs import Arguments, InputSpec, Listed, Mapped, New, Value
from compiler_core.snippet.guess.context import Option
from compiler_core.snippet.guess.search import Found
from compiler_core.snippet.guess.trial import FAR
from compiler_core.snippet.guess.ways import JOINED, Way, ways

_WHY = "what the framework says of its size"
# How many sizes are repaired one after the other, and how many guesses are tried for each.
_MOST, _TRIALS = 8, 24
# Seconds of this thread's CPU time, as in search.py.
_SECONDS = 4.0


def mended(found: Found, attempt: Callable[[Sequence[Option]], Found]) -> Found:
    """The guess that got furthest among `found` and those with its sizes repaired."""
    said, ends = set[str](), time.thread_time() + _SECONDS
    for _ in range(_MOST):
        said.add(found.outcome.whole)
        tried = (attempt(c) for c in _changes(found) if time.thread_time() < ends)
        better = _better(tried, found, said)
        if better is None:
            break
        found = better
    return found


def _better(tried: Iterator[Found], old: Found, said: set[str]) -> Found | None:
    """The first that got to a further line; else the first that fails otherwise at the same line,
    as it does where that was only a part of what is wrong. Of tensors that are joined the same may
    be said of other sizes, which is less."""
    otherwise, before = list[Found](), _reached(old)
    for new in tried:
        lines = _reached(new)
        if new.outcome.ok or lines > before:
            return new
        if lines == before and new.outcome.whole not in said:
            otherwise.append(new)
    others = [new for new in otherwise if not (_joins(new) and _joins(old))]
    return next(iter((*others, *otherwise)), None)


def _joins(found: Found) -> bool:
    return JOINED.search(found.outcome.whole) is not None


def _reached(found: Found) -> tuple[int, ...]:
    """The lines where it ended: what does not fit at a line was computed by the calls there."""
    return (*found.outcome.lines, FAR)


def _changes(found: Found) -> Iterator[tuple[Option, ...]]:
    """Of one tensor each, then of two."""
    found_ways = list(ways(found.outcome.whole))
    places = [(i, n) for i, o in enumerate(found.chosen) for n in range(_count(o.value))]
    trials = 0
    for number in (1, 2):
        for way in found_ways:
            for chosen in combinations(places, number):
                changed = _changed(found.chosen, chosen, way)
                if changed is not None and trials < _TRIALS:
                    trials += 1
                    yield changed


def _changed(
    chosen: Sequence[Option], places: Sequence[tuple[int, int]], way: Way
) -> tuple[Option, ...] | None:
    result = list(chosen)
    for i, n in places:
        value = _with(result[i].value, [n], way)
        if value == result[i].value:
            return None
        result[i] = Option(value, _WHY)
    return tuple(result)


def _count(value: Value) -> int:
    """The tensors in a value."""
    if isinstance(value, InputSpec):
        return 1
    return sum(map(_count, _inside(value)))


def _inside(value: Value) -> Sequence[Value]:
    match value:
        case Listed():
            return value.items
        case Mapped():
            return [each for _, each in value.items]
        case New():
            own = value.arguments
            return [*own.positional, *(each for _, each in own.keywords)]
    return ()


def _with(value: Value, left: list[int], way: Way) -> Value:
    """`value` with the tensor changed before which there are `left` others."""
    if isinstance(value, InputSpec):
        left[0] -= 1
        return (way(value) or value) if left[0] == -1 else value

    def inner(each: Value) -> Value:
        return _with(each, left, way)

    match value:
        case Listed():
            return replace(value, items=tuple(map(inner, value.items)))
        case Mapped():
            return replace(value, items=tuple((key, inner(each)) for key, each in value.items))
        case New():
            own = value.arguments
            named = tuple((name, inner(each)) for name, each in own.keywords)
            return replace(value, arguments=Arguments(tuple(map(inner, own.positional)), named))
    return value
