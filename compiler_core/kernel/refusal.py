"""Why a set of operations is not one loop nest."""

from dataclasses import dataclass

from compiler_core.ir.graph import Value


@dataclass(frozen=True)
class FusionRefusal:
    """A refusal with its reason. `needs_dense` is a view that would have to be materialized first,
    if that is the obstacle."""

    reason: str
    needs_dense: Value | None = None
    undecided: bool = False


class Refused(Exception):
    """Carries a refusal out of the recursion of the lowering; does not leave kernel/lowering.py."""

    def __init__(self, reason: str, needs_dense: Value | None = None) -> None:
        super().__init__(reason)
        self.refusal = FusionRefusal(reason, needs_dense)


def named(node: Value) -> str:
    """The value as refusals name it."""
    return f"{node} ({node.op})"
