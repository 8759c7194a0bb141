"""Two ways to scatter on a GPU: atomic updates, or every element gathers its own updates.

    for i, c:   y[64*j[i] + c] += u[i, c]            atomic: in any order
    for d, c:   y[64*d + c] += sum over i of (u[i, c] if j[i] == d else 0)

The second form (scatter_rows.py) is an ordinary reduction: it gives the same bits on every run, and
it supports every combination. It reads every index once for every row, which pays off for few rows
or few updates.
"""

from dataclasses import dataclass
from math import prod
from typing import Literal

from compiler_core.kernel.kernel import Kernel
from compiler_core.kernel.updates import dtype_of, in_order
from compiler_core.kernel.work import traffic
from compiler_core.schedule.gpu.scatter_rows import by_rows
from compiler_core.schedule.targets import GpuTarget

# The bytes that memory moves for one atomic update; and the arithmetic of comparing an index with a
# row: a load, the test, a select, the combination.
ATOMIC_BYTES = 32
COMPARISON_FLOPS = 4
# The cost of a compare-and-swap as a multiple of an atomic's: a load, the swap, and sometimes
# another round.
SWAPS = 3


@dataclass(frozen=True, slots=True)
class Form:
    """One of the two ways; `kernel` and `cost_us` are None if it is not possible."""

    name: Literal["atomic", "by rows"]
    reason: str
    kernel: Kernel | None = None
    cost_us: float | None = None


def forms(kernel: Kernel, target: GpuTarget) -> tuple[Form, Form]:
    """Both forms of `kernel`, which contains a scatter."""
    return _by_rows(kernel, target), _atomic(kernel, target)


def _atomic(kernel: Kernel, target: GpuTarget) -> Form:
    combining = [e for e in kernel.scattered if e.mode != "set"]
    if any(dtype_of(kernel, e).bits < 32 for e in combining):
        return Form("atomic", "no atomic is narrower than 32 bits")
    swaps = any(e.mode == "multiply" for e in combining)
    reason = _ordering(kernel, "updates by compare and swap" if swaps else "atomic updates")
    if target.deterministic and in_order(kernel):
        return Form("atomic", f"{reason}, which torch was told not to use")
    each = ATOMIC_BYTES * (SWAPS if swaps else 1)
    updates = prod(a.hint for a in kernel.axes) * len(kernel.scattered)
    cost = _moving(kernel, target) + updates * each / target.bandwidth * 1e6
    return Form("atomic", reason, kernel, cost)


def _ordering(kernel: Kernel, how: str) -> str:
    """How the updates are made, and whether their order matters."""
    matters = {e.mode for e in in_order(kernel)}
    if matters - {"set"}:
        return f"{how}, in any order: not deterministic"
    if matters:
        return "plain stores: of several to one element any one stays"
    return f"{how}, whose order changes nothing"


def _by_rows(kernel: Kernel, target: GpuTarget) -> Form:
    if len(kernel.effects) != 1:
        results = len(kernel.effects)
        return Form(
            "by rows",
            f"the kernel has {results} results, and only a scatter alone is computed by rows",
        )
    (e,) = kernel.scattered
    if e.mode == "set" and not target.deterministic:
        return Form("by rows", "any one of several updates may stay: none need be looked for")
    rows = by_rows(kernel, e)
    count = prod(a.hint for a in rows.axes)
    cost = _moving(rows, target) + count * COMPARISON_FLOPS / target.f32_flops * 1e6
    reason = f"each row looks through all indices, in {count} comparisons: deterministic"
    return Form("by rows", reason, rows, cost)


def _moving(kernel: Kernel, target: GpuTarget) -> float:
    return sum(traffic(kernel)) / target.bandwidth * 1e6 + target.launch_us
