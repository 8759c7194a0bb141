"""The domain of a program's inputs. Where normally distributed values give NaN, as under a
logarithm, or torch refuses them, as a cross entropy refuses what is no probability, values are
drawn between 0 and 1: for one parameter after the other, then for all."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from compiler_core.inputs import FLOATS, Arguments, Drawn, InputSpec, Listed, Mapped, New, Value
from compiler_core.snippet.guess.context import Option
from compiler_core.snippet.guess.search import Found

_PART = Drawn("uniform", (0.0, 1.0))
_ASKED = re.compile(r"between 0 and 1")
_WHY = "the values of which it makes numbers"


def within(found: Found, attempt: Callable[[Sequence[Option]], Found]) -> Found:
    """`found`, or the guess with values from another domain if those give no NaN and are not
    refused."""
    if not (found.outcome.hollow or _ASKED.search(found.outcome.error or "")):
        return found
    tried = map(attempt, _otherwise(found.chosen))
    return next((x for x in tried if x.outcome.ok and not x.outcome.hollow), found)


def _otherwise(chosen: Sequence[Option]) -> Iterator[tuple[Option, ...]]:
    between = tuple(Option(_drawn(o.value), _WHY) for o in chosen)
    able = [
        i for i, (o, new) in enumerate(zip(chosen, between, strict=True)) if o.value != new.value
    ]
    for i in able:
        yield (*chosen[:i], between[i], *chosen[i + 1 :])
    if len(able) > 1:
        yield tuple(new if i in able else chosen[i] for i, new in enumerate(between))


def _drawn(value: Value) -> Value:
    match value:
        case InputSpec(drawn=None) if value.dtype in FLOATS:
            return replace(value, drawn=_PART)
        case Listed():
            return replace(value, items=tuple(map(_drawn, value.items)))
        case Mapped():
            return Mapped(tuple((key, _drawn(each)) for key, each in value.items))
        case New():
            given = value.arguments
            named = tuple((key, _drawn(each)) for key, each in given.keywords)
            return replace(value, arguments=Arguments(tuple(map(_drawn, given.positional)), named))
    return value
