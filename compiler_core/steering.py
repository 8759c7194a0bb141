"""The compiler's free choices, and who makes them: which passes run, which operations share a
kernel, which candidate of a launch is chosen. None of them may change what a program computes.

The compiler chooses by its models. Within `steered`, somebody else is asked first: a person who
wants to know what a choice is worth (pipeline/overrides.py), or chance, which looks for a choice
that changes results (conformance/knobs.py). Since choices are made while others are costed, deep in
fusion and plans, the Steering is a context variable and not passed as an argument.
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
        """Why these operations may not share a kernel; "" if they may."""
        return ""

    def forced(self) -> Sequence[tuple[Value, Value]]:
        """Pairs (producer, consumer) of operations that share a kernel if there is one that
        computes both, whatever its modelled cost."""
        return ()

    def picks(self, of: "Scope | None", options: "Sequence[Option[Any]]") -> "Option[Any] | None":
        """The option to choose, one of these or another possible one; None leaves the choice to the
        model. `of` says what is chosen for, None within a choice that has no name."""
        return None


_NOW: ContextVar[Steering] = ContextVar("steering", default=Steering())  # noqa: B039  has no state


def current() -> Steering:
    """The Steering that is in force."""
    return _NOW.get()


@contextmanager
def steered(by: Steering) -> Iterator[None]:
    """Within the context, `by` makes the choices."""
    before = _NOW.set(by)
    try:
        yield
    finally:
        _NOW.reset(before)
