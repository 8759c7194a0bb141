"""Why a set of operations is no one loop nest."""

from dataclasses import dataclass

from compiler_core.ir.graph import Value


@dataclass(frozen=True)
class FusionRefusal:
    """A refusal, and why. `needs_dense` is a view that would have to be copied to memory first,
    where that is what stands in the way; `undecided` that it depends on the value of a symbol."""

    reason: str
    needs_dense: Value | None = None
    undecided: bool = False


class Refused(Exception):
    """Carries a refusal out of the recursion of a lowering; never leaves kernel/lowering.py."""

    def __init__(self, reason: str, needs_dense: Value | None = None) -> None:
        super().__init__(reason)
        self.refusal = FusionRefusal(reason, needs_dense)


def say(node: Value) -> str:
    """The value as a refusal names it."""
    return f"{node} ({node.op})"
