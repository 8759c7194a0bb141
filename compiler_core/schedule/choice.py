"""Choosing between ways to run something, by their modelled cost.

The figures decide which of two ways is faster; they are not predictions. A way that is not possible
has no cost, and a reason.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from compiler_core.errors import LoweringError
from compiler_core.steering import current

# A parameter of a schedule, and the values that each may have.
Value = int | str
Free = Mapping[str, tuple[Value, ...]]


class Schedule(Protocol):
    """How a launch is run. `strategy` is the key by which printers and runtimes select their
    code."""

    @property
    def strategy(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, int | str]: ...


class Variable(Schedule, Protocol):
    """A schedule some of whose parameters may be set by hand: those that are free in its
    candidate."""

    def varied(self, values: Mapping[str, int | str]) -> "Variable": ...


def as_asked(values: Mapping[str, int | str]) -> str:
    """The reason of a schedule with `values` set by hand: its own would tell of others."""
    return "as asked for: " + ", ".join(f"{name}={value}" for name, value in values.items())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way that was considered; `cost_us` is its modelled time in microseconds, None if it is not
    possible."""

    strategy: str
    reason: str
    cost_us: float | None = None
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    chosen: bool = False
    # Which of its parameters may be set by hand, and to what.
    free: Free = field(default_factory=dict)
    # The buffers between the steps of a template that this candidate keeps out of memory; for an
    # impossible one, the buffers for which it is impossible.
    within: frozenset[str] = frozenset()
    # The value that it computes, by name, where that is another than what the launch writes that
    # lists it.
    of: str = ""


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Option(Generic[Result]):
    """A candidate together with its outcome: `result` is None if it is not possible."""

    candidate: Candidate
    result: Result | None = None

    @property
    def is_possible(self) -> bool:
        """Whether it may be chosen."""
        return self.result is not None and self.candidate.cost_us is not None


@dataclass(frozen=True, slots=True)
class Scope:
    """The step that candidates belong to: its name and those of the steps that it was joined from,
    and the buffers that all of these write."""

    names: frozenset[str]
    writes: frozenset[str]


def cheapest(
    options: Iterable[Option[Result]], of: Scope | None = None
) -> tuple[Result, tuple[Candidate, ...]]:
    """The result of the cheapest possible option, the first of equals, unless somebody picks
    another; and all candidates in order, with that one marked as chosen. Raises LoweringError if
    none is possible."""
    known = list(options)
    able = [o for o in known if o.is_possible]
    best = current().picks(of, known) if able else None
    best = best or min(able, key=lambda o: o.candidate.cost_us or 0.0, default=None)
    if best is None or best.result is None:
        raise LoweringError(f"nothing can run this: {[o.candidate.reason for o in known]}")
    if all(best is not o for o in known):
        known.append(best)
    marked = tuple(replace(o.candidate, chosen=o is best) for o in known)
    return best.result, marked


def candidate_names(candidates: Iterable[Candidate]) -> list[str]:
    """A unique name for each candidate: its strategy, with a number from the second candidate of a
    strategy on: `rows`, `rows.2`, `split`. Candidates for another value have numbers of their
    own."""
    counts, names = Counter[tuple[str, str]](), list[str]()
    for each in candidates:
        counts[each.of, each.strategy] += 1
        number = counts[each.of, each.strategy]
        names.append(each.strategy if number == 1 else f"{each.strategy}.{number}")
    return names
