"""A guess whose sizes do not fit, mended by what the framework says of them: `mat1 and mat2 shapes
cannot be multiplied (128x256 and 8x64)` says that 256 was to be 8."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, product

from compiler_core.inputs import FLOATS, Arguments, Drawn, InputSpec, Listed, Mapped, New, Value
from compiler_core.snippet.guess.context import Option
from compiler_core.snippet.guess.search import Found
from compiler_core.snippet.guess.trial import FAR

_WHY = "what the framework says of its size"
# So many sizes are mended one after the other, and so many guesses are tried for each.
_MOST, _TRIALS = 8, 24
# Of this thread's own, as in search.py.
_SECONDS = 4.0
# Of sequences of which nothing else is known: as of most guesses.
_LONGEST = 8
# Of which two operands go element by element: there the one may have an axis too many.
_ELEMENTWISE = (
    re.compile(r"tensor a \((\d+)\) must match the size of tensor b \((\d+)\)"),
    re.compile(
        r"ncompatible shapes for broadcasting.*"
        r"\((?:\d+, )*(\d+),?\), \((?:\d+, )*(\d+),?\)"
    ),
)
# Either may be wrong, or only the first, or the second.
_EITHER = (
    *_ELEMENTWISE,
    re.compile(r"contracting dimensions .*got \((\d+),\) and \((\d+),\)"),
    re.compile(r"Size of label .* \((\d+)\) does not match previous terms \((\d+)\)"),
)
_FIRST = (
    re.compile(r"cannot be multiplied \(\d+x(\d+) and (\d+)x"),
    re.compile(
        r"batch_shape\+event_shape: torch.Size\(\[(?:\d+, )*(\d+)\]\) "
        r"vs torch.Size\(\[(?:\d+, )*(\d+)\]\)"
    ),
    re.compile(r"same reduction dim, but got \[\d+, (\d+)\] X \[(\d+), "),
)
_SECOND = (
    re.compile(r"expanded size of the tensor \((\d+)\) must match the existing size \((\d+)\)"),
    re.compile(r"normalized_shape=\[(?:\d+, )*(\d+)\].*input of size ?\D*\[(?:\d+, )*(\d+)\]"),
    re.compile(r"to have (\d+) channels, but got (\d+) channels"),
)
# Of what is spread over others, whole numbers too.
_SPREAD = re.compile(
    r"broadcast a dimension of length (\d+) at -1.*broadcastable to \[(?:\d+, )*(\d+)\]"
)
# Of whole numbers, such as labels: of how many examples they are.
_EXAMPLES = re.compile(r"input batch_size \((\d+)\) to match target batch_size \((\d+)\)")
# Of the lengths of sequences that are padded.
_LENGTHS = re.compile(
    r"'lengths' argument should be a 1D|Index is supposed to be a vector|"
    r"`lengths` array must be sorted|"
    r"len\(lengths\)` to be equal to batch_size|Length of all samples has to be greater than 0"
)
# Of whole numbers: the largest that they may be, or the first that is too large.
_LARGEST = re.compile(r"IntegerInterval\(lower_bound=0, upper_bound=(\d+)\)")
_TOO_LARGE = re.compile(r"out of bounds for dimension \d+ with size (\d+)")


def mended(found: Found, attempt: Callable[[Sequence[Option]], Found]) -> Found:
    """The guess that got furthest of those that are made of `found` by mending its sizes."""
    said, ends = set[str | None](), time.thread_time() + _SECONDS
    for _ in range(_MOST):
        said.add(found.outcome.error)
        tried = (attempt(c) for c in _changes(found) if time.thread_time() < ends)
        better = _better(tried, found, said)
        if better is None:
            break
        found = better
    return found


def _better(tried: Iterator[Found], old: Found, said: set[str | None]) -> Found | None:
    """The first that got to a further line; else the first that fails otherwise at the same line,
    as it does where that was only a part of what is wrong."""
    otherwise, before = None, _reached(old)
    for new in tried:
        lines = _reached(new)
        if new.outcome.ok or lines > before:
            return new
        if lines == before and new.outcome.error not in said:
            otherwise = otherwise or new
    return otherwise


def _reached(found: Found) -> tuple[int, ...]:
    """The lines where it ended: what does not fit at a line was computed by the calls there."""
    return (*found.outcome.lines, FAR)


def _changes(found: Found) -> Iterator[tuple[Option, ...]]:
    """Of one tensor each, then of two."""
    ways = list(_ways(found.outcome.error or ""))
    places = [(i, n) for i, o in enumerate(found.chosen) for n in range(_count(o.value))]
    trials = 0
    for number in (1, 2):
        for way in ways:
            for chosen in combinations(places, number):
                changed = _changed(found.chosen, chosen, way)
                if changed is not None and trials < _TRIALS:
                    trials += 1
                    yield changed


def _sizes(error: str) -> Iterator[tuple[int, int]]:
    """A size that may be wrong, and the one that it is to be then."""
    for pattern in (*_EITHER, *_FIRST, *_SECOND):
        if (said := pattern.search(error)) is not None:
            one, other = int(said[1]), int(said[2])
            yield from [(one, other)] if pattern not in _SECOND else []
            yield from [(other, one)] if pattern not in _FIRST else []


Way = Callable[[InputSpec], InputSpec | None]


def _ways(error: str) -> Iterator[Way]:
    """Without an axis of that size; with the size that is wanted, or a part of it."""
    for had, wanted in _sizes(error):
        if any(pattern.search(error) for pattern in _ELEMENTWISE):
            yield _of_floats(partial(_without_last, had=had))
        yield _of_floats(partial(_resized, had=had, wanted=wanted))
    if (said := _SPREAD.search(error)) is not None:
        yield partial(_resized, had=int(said[1]), wanted=int(said[2]))
    if (said := _EXAMPLES.search(error)) is not None:
        yield _of_whole_numbers(partial(_resized, had=int(said[2]), wanted=int(said[1])))
    for pattern, more in ((_LARGEST, 1), (_TOO_LARGE, 0)):
        if (said := pattern.search(error)) is not None:
            yield _of_whole_numbers(partial(_below, least=int(said[1]) + more))
    if _LENGTHS.search(error):
        for sorted_, axis in product((False, True), (0, 1)):
            yield _of_whole_numbers(partial(_lengths, sorted_=sorted_, axis=axis))


def _of_floats(way: Way) -> Way:
    return lambda spec: way(spec) if spec.dtype in FLOATS else None


def _of_whole_numbers(way: Way) -> Way:
    return lambda spec: None if spec.dtype in FLOATS else way(spec)


def _below(spec: InputSpec, least: int) -> InputSpec | None:
    return replace(spec, drawn=Drawn("uniform", (0, least))) if least > 0 else None


def _lengths(spec: InputSpec, sorted_: bool, axis: int) -> InputSpec | None:
    """Lengths of as many sequences as the tensor has along an axis, of at most as many elements as
    it has along any."""
    if axis >= len(spec.shape):
        return None
    longest = min(spec.shape) if len(spec.shape) > 1 else _LONGEST
    drawn = Drawn("constant", (longest,)) if sorted_ else Drawn("uniform", (1, longest + 1))
    return replace(spec, shape=(spec.shape[axis],), drawn=drawn)


def _resized(spec: InputSpec, had: int, wanted: int) -> InputSpec | None:
    for axis in reversed(range(len(spec.shape))):
        size = spec.shape[axis]
        if size > 1 and had % size == 0 and size * wanted % had == 0:
            shape = (*spec.shape[:axis], size * wanted // had, *spec.shape[axis + 1 :])
            return replace(spec, shape=shape)
    return None


def _without_last(spec: InputSpec, had: int) -> InputSpec | None:
    ends = len(spec.shape) > 1 and spec.shape[-1] == had
    return replace(spec, shape=spec.shape[:-1]) if ends else None


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
