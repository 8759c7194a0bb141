"""Two ways to scatter on a GPU: atomic updates, or every element gathers its own updates.

    for i, c:   y[64*j[i] + c] += u[i, c]            atomic: in any order
    for d, c:   y[64*d + c] += sum over i of (u[i, c] if j[i] == d else 0)

The second form is an ordinary reduction: it gives the same bits on every run, and it supports every
combination. It reads every index once for every row, which pays off for few rows or few updates.
"""

from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import number
from compiler_core.ir.types import BOOL, I32, DType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import canonicalize
from compiler_core.kernel.kernel import (
    Axis,
    Compute,
    Const,
    Def,
    Effect,
    Index,
    Kernel,
    Load,
    Phase,
    Reduce,
    Store,
)
from compiler_core.kernel.work import traffic
from compiler_core.schedule.targets import GpuTarget

# What the memory moves for one atomic update, in bytes; and the arithmetic of one comparison of an
# index with a row: a load, the test, a choice, the combination.
ATOMIC_BYTES = 32
COMPARISON_FLOPS = 4
# What a compare-and-swap costs in atomics: a load, the swap, and now and then another round.
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
    if any(e.mode != "set" and _dtype(kernel, e).bits < 32 for e in kernel.scattered):
        return Form("atomic", "no atomic is as narrow")
    ordered = all(_any_order(e, _dtype(kernel, e)) for e in kernel.scattered)
    order = "whose order changes nothing" if ordered else "in any order: not deterministic"
    if target.deterministic and not ordered:
        return Form("atomic", f"atomic updates, {order}, which torch was told not to use")
    swaps = any(e.mode == "multiply" for e in kernel.scattered)
    how = "updates by compare and swap" if swaps else "atomic updates"
    each = ATOMIC_BYTES * (SWAPS if swaps else 1)
    updates = prod(a.hint for a in kernel.axes) * len(kernel.scattered)
    cost = _moving(kernel, target) + updates * each / target.bandwidth * 1e6
    return Form("atomic", f"{how}, {order}", kernel, cost)


def _by_rows(kernel: Kernel, target: GpuTarget) -> Form:
    rows = _gathered(kernel)
    if rows is None:
        return Form("by rows", "the updates walk no whole rows by their indices")
    count = prod(a.hint for a in rows.axes)
    cost = _moving(rows, target) + count * COMPARISON_FLOPS / target.f32_flops * 1e6
    reason = f"each row looks through all indices, in {count} comparisons: deterministic"
    return Form("by rows", reason, rows, cost)


def _moving(kernel: Kernel, target: GpuTarget) -> float:
    return sum(traffic(kernel)) / target.bandwidth * 1e6 + target.launch_us


def _dtype(kernel: Kernel, e: Store) -> DType:
    (dtype,) = (b.type.dtype for b in kernel.buffers if b.name == e.buffer)
    return dtype


def _any_order(e: Store, dtype: DType) -> bool:
    """Whether every order of the updates gives the same bits, and the hardware has the atomics."""
    return e.mode in ("set", "maximum", "minimum") or dtype.is_integer


# -- the deterministic form


def _gathered(kernel: Kernel) -> Kernel | None:
    """`kernel` as a gather by rows; None if its store does not update whole rows selected by one
    index."""
    effects = kernel.effects
    e = effects[0]
    if len(effects) != 1 or not isinstance(e, Store):
        return None
    if e.mode == "set" or kernel.symbols or not _one_row(kernel, e):
        return None
    own = {axis for axis, _ in e.access.terms}
    within = prod(number(a.extent) for a in kernel.axes if a.name in own)
    (elements,) = (b.type.numel for b in kernel.buffers if b.name == e.buffer)
    if not within or elements % within:
        return None
    return _rows(kernel, e, own, Axis("row", elements // within, "parallel"))


def _one_row(kernel: Kernel, e: Store) -> bool:
    """Whether the indices together count rows: nothing that the update walks is between them."""
    strides = [number(x.stride) for x in e.access.indirect]
    unit = min(strides, default=0)
    between = any(unit < s < max(strides) for _, s in e.access.terms if isinstance(s, int))
    alike = len({kernel.dtype_of(x.value) for x in e.access.indirect}) == 1
    return unit > 0 and alike and not between and all(s % unit == 0 for s in strides)


def _row_of(kernel: Kernel, e: Store, unit: int) -> tuple[list[Def], str]:
    """The number of the row that an update is for, and what defines it."""
    first, *others = e.access.indirect
    if not others:
        return [], first.value
    defs: list[Def] = []
    dtype, total = kernel.dtype_of(first.value), ""
    for i, x in enumerate(e.access.indirect):
        step, scaled, part = (f"{w}_{i}" for w in ("step", "scaled", "place"))
        defs.append(Const(step, dtype, number(x.stride) // unit))
        defs.append(Compute(scaled, dtype, "multiply", (x.value, step), e.origins))
        if total:
            defs.append(Compute(part, dtype, "add", (total, scaled), e.origins))
        total = part if total else scaled
    return defs, total


def _rows(kernel: Kernel, e: Store, own: set[str], row: Axis) -> Kernel:
    unit = min(number(x.stride) for x in e.access.indirect)
    counting, place = _row_of(kernel, e, unit)
    dtype = _dtype(kernel, e)
    there = Affine((*e.access.terms, (row.name, unit)), e.access.offset)
    (nothing,) = MONOIDS[e.mode].identity(dtype)
    defs: list[Def] = [
        *kernel.defs,
        *counting,
        Index("this_row", I32, Affine(((row.name, 1),)), e.origins),
        Compute("of_row", BOOL, "compare", (place, "this_row"), e.origins, "EQ"),
        Const("nothing", dtype, nothing, e.origins),
    ]
    test = "of_row"
    if e.mask is not None:
        test = "counts"
        defs.append(Compute(test, BOOL, "and", ("of_row", e.mask), e.origins))
    defs += [
        Compute("update", dtype, "select", (test, e.value, "nothing"), e.origins),
        Load("before", dtype, e.buffer, there, e.origins),
    ]
    walked = [replace(a, kind="parallel" if a.name in own else "reduce") for a in kernel.axes]
    combined, phases = "update", list[Phase]()
    if any(a.kind == "reduce" for a in walked):
        combined, combination = (
            "total",
            Reduce(("total",), (dtype,), e.mode, ("update",), e.origins),
        )
        phases.append(Phase((combination,)))
    defs.append(Compute("after", dtype, e.mode, ("before", combined), e.origins))
    store: Effect = Store(e.buffer, there, "after", e.origins)
    return canonicalize(
        replace(
            kernel,
            kind="column",
            axes=(row, *sorted(walked, key=lambda a: a.kind)),
            defs=tuple(defs),
            phases=(*phases, Phase((store,))),
        )
    )
