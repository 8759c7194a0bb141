"""Choosing between ways to run something, by their modelled cost.

The figures decide which of two ways is faster; they are not predictions. A way that is not possible
has no cost, and a reason.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from compiler_core.errors import LoweringError


class Schedule(Protocol):
    """How a launch is run. `strategy` is the key by which printers and runtimes select their
    code."""

    @property
    def strategy(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def parameters(self) -> Mapping[str, int | str]: ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A way that was considered; `cost_us` is its modelled time in microseconds, None if it is not
    possible."""

    strategy: str
    reason: str
    cost_us: float | None = None
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    chosen: bool = False


Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Option(Generic[Result]):
    """A candidate together with its outcome: `result` is None if it is not possible."""

    candidate: Candidate
    result: Result | None = None


def cheapest(options: Iterable[Option[Result]]) -> tuple[Result, tuple[Candidate, ...]]:
    """The result of the cheapest possible option, the first of equals; and all candidates in order,
    with that one marked as chosen. Raises LoweringError if none is possible."""
    known = list(options)
    best = min(
        (o for o in known if o.result is not None and o.candidate.cost_us is not None),
        key=lambda o: o.candidate.cost_us or 0.0,
        default=None,
    )
    if best is None or best.result is None:
        raise LoweringError(f"nothing can run this: {[o.candidate.reason for o in known]}")
    marked = tuple(_marked(o.candidate, o is best) for o in known)
    return best.result, marked


def _marked(candidate: Candidate, chosen: bool) -> Candidate:
    return Candidate(
        candidate.strategy, candidate.reason, candidate.cost_us, candidate.parameters, chosen
    )
