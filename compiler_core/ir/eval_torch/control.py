"""Loops and branches in torch, interpreted on the host.

While recording there are no values to decide by. Scans are then unrolled, unless the program would
take minutes to compile; other control flow is not recorded, because torch's higher-order operations
reject much of it on a CPU.
"""

from collections.abc import Sequence
from typing import Any

import torch

from compiler_core.ir.control import RULES, Body, Host, trips
from compiler_core.ir.eval_torch.context import Context
from compiler_core.ir.graph import Operation, Region
from compiler_core.ir.types import TensorType

# The most operations that a scan may have once unrolled.
_MOST_UNROLLED = 1000


def control(
    context: Context, operation: Operation, bodies: Sequence[Body[Any]], operands: Sequence[Any]
) -> tuple[Any, ...]:
    """The values of the operation's results."""

    def stack(rows: Sequence[Any], type_: TensorType) -> Any:
        return torch.stack(tuple(rows)) if rows else context.full(0, type_.dtype, type_.sizes)

    host: Host[Any] = Host(bool, int, lambda x, i: x[i], stack)
    return tuple(RULES[operation.op](host, operation, bodies, operands))


def unrecorded(region: Region, compiler: str) -> str | None:
    """Why the region's control flow cannot be expressed as plain torch calls; None if it can."""
    for operation in region.walk():
        if operation.op in ("while", "case"):
            return (
                f"{compiler} is given a list of torch calls, and which of them the "
                f"{operation.op} makes depends on data"
            )
        if operation.op == "scan" and _unrolled(operation) > _MOST_UNROLLED:
            return (
                f"{compiler} is given scans unrolled, and this one would have "
                f"{_unrolled(operation)} operations"
            )
    return None


def _unrolled(operation: Operation) -> int:
    """The number of operations after every scan is unrolled."""
    inner = sum(_unrolled(o) for r in operation.regions for o in r.operations)
    return trips(operation) * inner if inner else 1
