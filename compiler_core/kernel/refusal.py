"""Why a set of operations is not one loop nest."""

from dataclasses import dataclass

from compiler_core.ir.graph import Value
from compiler_core.report.reasons import Reason, RefusalKind


@dataclass(frozen=True)
class FusionRefusal:
    """A refusal with its reason. `needs_dense` is a view that would have to be materialized first,
    if that is the obstacle."""

    reason: Reason
    needs_dense: Value | None = None
    undecided: bool = False


class Refused(Exception):
    """Carries a refusal out of the recursion of the lowering; does not leave kernel/lowering.py."""

    def __init__(self, kind: RefusalKind, why: str, needs_dense: Value | None = None) -> None:
        super().__init__(why)
        self.refusal = FusionRefusal(Reason(kind, why), needs_dense)


def named(node: Value) -> str:
    """The value as refusals name it."""
    return f"{node} ({node.op})"
