"""A kernel fused to the rows of a matrix product (kernel/by_rows.py), divided by columns too: it
runs on a block of columns while these are in registers."""

from dataclasses import replace

from compiler_core.ir.sizes import Dim, divided
from compiler_core.kernel.access import Affine
from compiler_core.kernel.by_rows import RowKernel
from compiler_core.kernel.fragment import NoFragment
from compiler_core.kernel.kernel import Load


def by_columns(part: RowKernel, buffer: str, width: int, columns: int) -> RowKernel | NoFragment:
    """`part`, which reads the matrix [rows, width] in `buffer`, restricted to a block of `columns`
    columns: it then reads a matrix [rows, columns]. NoFragment with the reason if an element of its
    result needs other columns than its own."""
    within = part.within
    if within.reduce or within.reductions or within.scans:
        return NoFragment(
            "the epilogue needs whole rows of the product, and a panel is a block of columns"
        )
    if [a.extent for a in within.parallel] != [width]:
        return NoFragment("the epilogue's loop is not over the columns of the product")
    (last,) = within.parallel
    loads = {d.name for d in within.defs if isinstance(d, Load) and d.buffer == buffer}
    defs = []
    for d in part.kernel.defs:
        if isinstance(d, Load) and d.name in loads:
            if d.access.stride(last.name) != 1 or d.access.offset != 0:
                return NoFragment(
                    "the epilogue reads other columns of the product than those it computes"
                )
            d = replace(d, access=_narrowed(d.access, last.name, width, columns))
        defs.append(d)
    return replace(part, kernel=replace(part.kernel, defs=tuple(defs)), columns=columns)


def _narrowed(access: Affine, last: str, width: int, columns: int) -> Affine:
    """`access` with rows that are `columns` apart instead of `width`."""
    terms = ((a, s if a == last else _scaled(s, width, columns)) for a, s in access.terms)
    return replace(access, terms=tuple(terms))


def _scaled(stride: Dim, width: int, columns: int) -> Dim:
    rows = divided(stride, width)
    assert rows is not None, "by_rows has seen that these are whole rows"
    return rows * columns
