"""A scatter on a GPU: updates by atomics, or each element gathers what is meant for it.

    for i, c:   y[64*j[i] + c] += u[i, c]            atomic: in any order
    for d, c:   y[64*d + c] += sum over i of (u[i, c] if j[i] == d else 0)

The second form is a reduction like any other, so it is the same on every run, and it knows every
combination. It reads each index once for every row, which pays for few rows or few updates.
"""

from dataclasses import dataclass, replace
from math import prod
from typing import Literal

from compiler_core.errors import LoweringError
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.types import BOOL, I32, DType
from compiler_core.kernel.canonicalize import canonicalize
from compiler_core.kernel.kernel import (
    Affine,
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

# Up to so many comparisons of an index with a row the deterministic form costs no more than any.
FEW_COMPARISONS = 1 << 22


@dataclass(frozen=True, slots=True)
class Form:
    """One of the two ways; `kernel` and `cost_us` are None where it is not possible."""

    name: Literal["atomic", "by rows"]
    reason: str
    kernel: Kernel | None
    cost_us: float | None
    chosen: bool


def forms(kernel: Kernel, target: GpuTarget) -> tuple[Form, Form]:
    """Both forms of `kernel`, which scatters; one of them chosen. Raises LoweringError where
    neither is possible."""
    rows = _gathered(kernel)
    count = prod(a.extent for a in rows.axes) if rows is not None else 0
    has_atomics = all(_has_atomic(e, _dtype(kernel, e)) for e in kernel.scattered)
    if not has_atomics and rows is None:
        raise LoweringError(f"no atomic combines as {kernel.name} does, and it walks no whole rows")
    by_rows = rows is not None and (not has_atomics or count <= FEW_COMPARISONS)
    if all(_any_order(e, _dtype(kernel, e)) for e in kernel.scattered):
        by_rows, told = False, "atomic updates, whose order changes nothing"
    else:
        told = "atomic updates in any order: not deterministic"
    if not has_atomics:
        told = "no atomic combines so"
    return (
        Form("atomic", told, *_possible(kernel if has_atomics else None, 0, target), not by_rows),
        Form("by rows", _of_rows(rows, count), *_possible(rows, count, target), by_rows),
    )


def _of_rows(rows: Kernel | None, count: int) -> str:
    if rows is None:
        return "the updates walk no whole rows by one index"
    return f"each row looks through all indices, in {count} comparisons: deterministic"


def _possible(
    kernel: Kernel | None, comparisons: int, target: GpuTarget
) -> tuple[Kernel | None, float | None]:
    """A kernel with its cost in microseconds: its bytes, its comparisons, its launch."""
    if kernel is None:
        return None, None
    moved = sum(traffic(kernel)) / target.bandwidth + comparisons / target.f32_flops
    return kernel, moved * 1e6 + target.launch_us


def _dtype(kernel: Kernel, e: Store) -> DType:
    (dtype,) = (b.type.dtype for b in kernel.buffers if b.name == e.buffer)
    return dtype


def _has_atomic(e: Store, dtype: DType) -> bool:
    return e.mode in ("set", "add") or (e.mode != "multiply" and dtype.is_integer)


def _any_order(e: Store, dtype: DType) -> bool:
    """Whether every order of the updates gives the same bits, by atomics that exist."""
    return e.mode == "set" or (dtype.is_integer and _has_atomic(e, dtype))


# -- the deterministic form


def _gathered(kernel: Kernel) -> Kernel | None:
    """`kernel` by rows; None where its one store does not walk whole rows by one index."""
    effects = [e for phase in kernel.phases for e in phase.effects]
    e = effects[0]
    if len(effects) != 1 or not isinstance(e, Store):
        return None
    if len(e.access.indirect) != 1 or e.mode == "set":
        return None
    own = {axis for axis, _ in e.access.terms}
    within = prod(a.extent for a in kernel.axes if a.name in own)
    (elements,) = (b.type.numel for b in kernel.buffers if b.name == e.buffer)
    if not within or elements % within:
        return None
    return _rows(kernel, e, own, Axis("row", elements // within, "parallel"))


def _rows(kernel: Kernel, e: Store, own: set[str], row: Axis) -> Kernel:
    (term,) = e.access.indirect
    dtype = _dtype(kernel, e)
    there = Affine((*e.access.terms, (row.name, term.stride)), e.access.offset)
    (nothing,) = MONOIDS[e.mode].identity(dtype)
    defs: list[Def] = [
        *kernel.defs,
        Index("this_row", I32, Affine(((row.name, 1),)), e.origins),
        Compute("of_row", BOOL, "compare", (term.value, "this_row"), e.origins, "EQ"),
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
    folded, phases = "update", list[Phase]()
    if any(a.kind == "reduce" for a in walked):
        folded, fold = "total", Reduce(("total",), (dtype,), e.mode, ("update",), e.origins)
        phases.append(Phase((fold,)))
    defs.append(Compute("after", dtype, e.mode, ("before", folded), e.origins))
    store: Effect = Store(e.buffer, there, "after", e.origins)
    return canonicalize(
        replace(
            kernel,
            axes=(row, *sorted(walked, key=lambda a: a.kind)),
            defs=tuple(defs),
            phases=(*phases, Phase((store,))),
        )
    )
