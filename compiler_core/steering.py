"""The compiler's free choices, and who makes them: which passes run, which operations share a
kernel, which candidate of a launch is taken. None of them may change what a program computes.

The compiler makes them itself, by its models. Within `steered`, somebody else is asked first: a
person who wants to know what a choice is worth (pipeline/overrides.py), or chance, which looks for
one that changes results (conformance/knobs.py). Choices are made while others are costed, deep in
fusion and in plans; therefore who makes them is said around, and not handed down.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from compiler_core.ir.graph import Value

if TYPE_CHECKING:
    from compiler_core.schedule.choice import Option, Scope


class Steering:
    """Leaves every choice to the compiler."""

    def runs(self, name: str) -> bool:
        """Whether the pass of that name is run."""
        return True

    def forbids(self, members: frozenset[Value]) -> str:
        """Why these operations may be no kernel, "" where they may."""
        return ""

    def forced(self) -> Sequence[tuple[Value, Value]]:
        """Pairs of operations that are to share a kernel where there is one of both, whatever the
        model says that it costs; the one that is read stands first."""
        return ()

    def picks(self, of: "Scope | None", options: "Sequence[Option[Any]]") -> "Option[Any] | None":
        """The option to take, one of these or another that is possible; None leaves it to the
        model. `of` is what the choice is of, None inside of a choice that has no name."""
        return None


_NOW: ContextVar[Steering] = ContextVar("steering", default=Steering())  # noqa: B039  has no state


def current() -> Steering:
    """Who makes the choices now."""
    return _NOW.get()


@contextmanager
def steered(by: Steering) -> Iterator[None]:
    """Within the context, `by` makes the choices."""
    before = _NOW.set(by)
    try:
        yield
    finally:
        _NOW.reset(before)
