"""A scatter as a reduction: every row of the destination looks through all updates for its own.

    y[64*j[i] + c] += u[i, c]     row d of y, element c: the sum over i of u[i, c] where j[i] == d
    y[64*j[i] + c]  = u[i, c]     the u[i, c] with the largest i where j[i] == d

A row is the smallest part of the destination that one index selects; axes that count elements
within a row, or blocks of rows that the indices do not reach across, are walked by the row itself.
Where the steps in memory do not divide so, a row is one element, which every scatter allows.
"""

from dataclasses import dataclass, replace

from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import Dim, at_most, divided, hint, is_proved
from compiler_core.ir.types import BOOL, I32, I64, DType
from compiler_core.kernel.access import Affine, Indirect
from compiler_core.kernel.canonicalize import canonicalize
from compiler_core.kernel.effects import Phase, Reduce, Store
from compiler_core.kernel.kernel import Axis, Compute, Const, Def, Index, Kernel, Load
from compiler_core.kernel.updates import dtype_of


def by_rows(kernel: Kernel, e: Store) -> Kernel:
    """`kernel`, whose only effect is the scatter `e`, by rows."""
    rows = _whole_rows(kernel, e) or _elements(kernel, e)
    walked = [replace(a, kind="parallel" if a.name in rows.own else "reduce") for a in kernel.axes]
    axes = (rows.axis, *sorted(walked, key=lambda a: a.kind))
    fits_i32 = at_most(_size(kernel, e), 2**31 - 1)
    kernel = replace(kernel, kind="column", axes=axes)
    return canonicalize(_combined(kernel, e, rows, I32 if fits_i32 else I64))


# -- what a row is


@dataclass(frozen=True, slots=True)
class _Rows:
    """`own`: the names of the axes that a row walks itself; `of_update`: the number of the row that
    an update is for; `there`: the place of the element of a row, which `axis` counts."""

    axis: Axis
    own: frozenset[str]
    of_update: Affine
    there: Affine


def _size(kernel: Kernel, e: Store) -> Dim:
    (elements,) = (b.type.elements for b in kernel.buffers if b.name == e.buffer)
    return elements


def _elements(kernel: Kernel, e: Store) -> _Rows:
    """Rows of one element each."""
    axis = Axis("row", _size(kernel, e), "parallel")
    return _Rows(axis, frozenset(), e.access, Affine(((axis.name, 1),)))


def _whole_rows(kernel: Kernel, e: Store) -> _Rows | None:
    """None if the steps of the indices are not all multiples of the smallest of them, or updates
    reach from one row into the next.

    Dimensions are nested in memory: what an axis with a larger step than every index counts has all
    rows that indices can select.
    """
    steps = sorted((x.stride for x in e.access.indirect), key=hint)
    if not steps:
        return None
    unit, most = steps[0], hint(steps[-1])
    within = [(a, s) for a, s in e.access.terms if hint(s) < hint(unit)]
    around = [(a, s) for a, s in e.access.terms if hint(s) > most]
    beyond = min((s for _, s in around), key=hint, default=_size(kernel, e))
    own = frozenset(a for a, _ in (*within, *around))
    count, others = divided(beyond, unit), _divided(e.access, own, unit)
    if count is None or others is None or hint(others.offset) >= hint(count):
        return None
    low = e.access.offset - others.offset * unit
    extents = {a.name: a.extent for a in kernel.axes}
    last = low + sum((s * (extents[a] - 1) for a, s in within), 0)
    if not is_proved(lambda: last < unit):
        return None
    axis = Axis("row", count, "parallel")
    own_terms = tuple(t for t in e.access.terms if t[0] in own)
    return _Rows(axis, own, others, Affine((*own_terms, (axis.name, unit)), low))


def _divided(access: Affine, own: frozenset[str], unit: Dim) -> Affine | None:
    """`access` without the axes `own`, in units of `unit`; None if a step is no multiple of it."""
    offset = access.offset
    if isinstance(offset, int) and isinstance(unit, int):
        offset -= offset % unit
    parts = [s for a, s in access.terms if a not in own]
    found = [divided(s, unit) for s in (offset, *parts, *(x.stride for x in access.indirect))]
    steps = [s for s in found if s is not None]
    if len(steps) < len(found):
        return None
    names = [a for a, _ in access.terms if a not in own]
    terms = tuple(zip(names, steps[1:], strict=False))
    last = steps[1 + len(terms) :]
    indirect = tuple(replace(x, stride=s) for x, s in zip(access.indirect, last, strict=True))
    return Affine(terms, steps[0], indirect)


# -- what is computed of it


def _combined(kernel: Kernel, e: Store, rows: _Rows, counting: DType) -> Kernel:
    """`kernel` over the axes of the rows, with a reduction in place of the scatter."""
    dtype, origins = dtype_of(kernel, e), e.origins
    this_row = Affine(((rows.axis.name, 1),))
    numbering, its_row = _numbered(kernel, rows.of_update, counting, origins)
    defs: list[Def] = [
        *kernel.defs,
        *numbering,
        Index("this_row", counting, this_row, origins),
        Compute("of_row", BOOL, "compare", (its_row, "this_row"), origins, "EQ"),
    ]
    test = "of_row"
    if e.mask is not None:
        test = "counts"
        defs.append(Compute(test, BOOL, "and", ("of_row", e.mask), origins))
    defs.append(Load("before", dtype, e.buffer, rows.there, origins))
    own = (_last if e.mode == "set" else _total)(kernel, e, test, dtype)
    after = Store(e.buffer, rows.there, "after", origins)
    phases = (*([Phase((own.reduce,))] if own.reduce else ()), Phase((after,)))
    return replace(kernel, defs=(*defs, *own.defs), phases=phases)


def _numbered(
    kernel: Kernel, row: Affine, counting: DType, origins: tuple[int, ...]
) -> tuple[list[Def], str]:
    """The name of the number of an update's row, of the type `counting`, and what defines it."""
    defs: list[Def] = []
    indirect: list[Indirect] = []
    for number, x in enumerate(row.indirect):
        name = x.value
        if kernel.dtype_of(name) is not counting:
            name = f"index_{number}"
            defs.append(Compute(name, counting, "convert", (x.value,), origins))
        indirect.append(replace(x, value=name))
    row = replace(row, indirect=tuple(indirect))
    if not row.terms and row.offset == 0 and [x.stride for x in indirect] == [1]:
        return defs, indirect[0].value
    return [*defs, Index("its_row", counting, row, origins)], "its_row"


@dataclass(frozen=True, slots=True)
class _Own:
    """What defines "after", a row's new element; `reduce` is None where no axis is reduced."""

    reduce: Reduce | None
    defs: tuple[Def, ...]


def _total(kernel: Kernel, e: Store, test: str, dtype: DType) -> _Own:
    """The row's updates combined, and what was there with them."""
    (nothing,) = MONOIDS[e.mode].identity(dtype)
    update: tuple[Def, ...] = (
        Const("nothing", dtype, nothing, e.origins),
        Compute("update", dtype, "select", (test, e.value, "nothing"), e.origins),
    )
    reduce = Reduce(("total",), (dtype,), e.mode, ("update",), e.origins)
    total = "total" if kernel.reduce else "update"
    after = Compute("after", dtype, e.mode, ("before", total), e.origins)
    return _Own(reduce if kernel.reduce else None, (*update, after))


def _last(kernel: Kernel, e: Store, test: str, dtype: DType) -> _Own:
    """The last of the row's updates, or what was there."""
    if not kernel.reduce:
        return _Own(
            None, (Compute("after", dtype, "select", (test, e.value, "before"), e.origins),)
        )
    terms = list[tuple[str, Dim]]()
    step: Dim = 1
    for axis in reversed(kernel.reduce):
        terms.append((axis.name, step))
        step *= axis.extent
    number = I32 if at_most(step, 2**31 - 1) else I64
    update: tuple[Def, ...] = (
        Index("number", number, Affine(tuple(terms)), e.origins),
        Const("none", number, -1, e.origins),
        Compute("candidate", number, "select", (test, "number", "none"), e.origins),
    )
    reduce = Reduce(
        ("newest", "update"), (number, dtype), "latest", ("candidate", e.value), e.origins
    )
    after: tuple[Def, ...] = (
        Compute("found", BOOL, "compare", ("newest", "none"), e.origins, "GT"),
        Compute("after", dtype, "select", ("found", "update", "before"), e.origins),
    )
    return _Own(reduce, (*update, *after))
