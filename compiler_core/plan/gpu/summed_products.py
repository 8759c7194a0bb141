"""Matrix products whose sums are ordinary reductions of a kernel, for a GPU.

    reduction   out[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j]
    split k     part[p, b, i, j] = sum over the p-th part of k      a tiled product
                out[b, i, j] = sum over p of part[p, b, i, j]

The kernel at the product's end, where there is one, goes on with the sums. They are accumulated in
f32 (f64 for f64) and in a fixed order, so that every run gives the same bits.
"""

from collections.abc import Sequence
from dataclasses import replace

from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import BF16, F16, F32, DType, strides
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import canonicalize
from compiler_core.kernel.effects import Phase, Reduce, Store
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import Axis, BufferParam, Compute, Def, Kernel, Load
from compiler_core.plan.fused_matmul import PROLOGUES, Role, stored
from compiler_core.plan.steps import Matmul

_SUM, _TERM = "product_sum", "product_term"
_READ: dict[Role, str] = {"lhs": "left", "rhs": "right"}
# The axes of each side of the result: batch, rows, columns.
_Sides = Sequence[tuple[Axis, ...]]


def of_products(
    m: Matmul, end: Fragment | None, name: str, outputs: Sequence[BufferParam]
) -> Kernel:
    """The kernel of the whole product and of the fragment at its `end`, which writes `outputs`."""
    sides, total = _sides(m, end), _accumulated(m.dtype)
    inner = Axis("r0", m.k, "reduce")
    defs: list[Def] = []
    for role in PROLOGUES:
        b, dtype = (m.lhs, m.lhs.type.dtype) if role == "lhs" else (m.rhs, m.rhs.type.dtype)
        access = _access(sides, *_strides(m, role), inner.name)
        defs.append(Load(_READ[role], dtype, b.name, access, m.origins))
        if dtype != total:
            defs.append(
                Compute(f"{_READ[role]}_upcast", total, "convert", (_READ[role],), m.origins)
            )
    args = tuple(
        f"{d.name}_upcast" if d.dtype != total else d.name for d in defs if isinstance(d, Load)
    )
    defs.append(Compute(_TERM, total, "multiply", args, m.origins))
    return _kernel(m, end, name, outputs, sides, inner, (m.lhs, m.rhs), defs)


def of_parts(
    m: Matmul, part: BufferParam, count: int, end: Fragment | None, name: str,
    outputs: Sequence[BufferParam],
) -> Kernel:  # fmt: skip
    """The kernel that adds `count` partial results, the outermost side of `part`."""
    sides, total = _sides(m, end), _accumulated(m.dtype)
    inner = Axis("r0", count, "reduce")
    access = _access(sides, (m.m * m.n, m.n, 1), m.batch * m.m * m.n, inner.name)
    load = Load(_TERM, total, part.name, access, m.origins)
    return _kernel(m, end, name, outputs, sides, inner, (replace(part, role="in"),), [load])


def _strides(m: Matmul, role: Role) -> tuple[tuple[Dim, Dim, Dim], Dim]:
    """Those of an operand: by side of the result, and along k."""
    batch, rows, columns = stored(m, role)
    flipped = m.transpose_lhs if role == "lhs" else m.transpose_rhs
    is_inner_last = (role == "lhs") != flipped
    free, inner = (columns, 1) if is_inner_last else (1, columns)
    outer = 0 if batch == 1 else rows * columns
    return ((outer, free, 0) if role == "lhs" else (outer, 0, free)), inner


def _accumulated(dtype: DType) -> DType:
    return F32 if dtype in (F16, BF16) else dtype


def _sides(m: Matmul, end: Fragment | None) -> _Sides:
    if end is not None:
        batch, *rest = end.sides
        return (batch, *rest)
    named = zip(("i0", "i1", "i2"), (m.batch, m.m, m.n), strict=True)
    return [(Axis(name, extent, "parallel"),) if extent != 1 else () for name, extent in named]


def _access(sides: _Sides, by_side: Sequence[Dim], along: Dim = 0, inner: str = "") -> Affine:
    """An index with a stride for each side, whose axes are dense in it, and one along `inner`."""
    terms: list[tuple[str, Dim]] = []
    for axes, step in zip(sides, by_side, strict=True):
        own = strides(tuple(a.extent for a in axes))
        terms += [(a.name, step * s) for a, s in zip(axes, own, strict=True) if step != 0]
    return Affine((*terms, (inner, along)) if inner else tuple(terms))


def _kernel(
    m: Matmul, end: Fragment | None, name: str, outputs: Sequence[BufferParam], sides: _Sides,
    inner: Axis, inputs: Sequence[BufferParam], terms: Sequence[Def],
) -> Kernel:  # fmt: skip
    """The sum over `inner` of `_TERM`, the last of `terms`, and what follows."""
    total = terms[-1].dtype
    phases = [Phase((Reduce((_SUM,), (total,), "add", (_TERM,), m.origins),))]
    after, read = list[Def](), list(dict.fromkeys(inputs))
    if end is None:
        access = _access(sides, (m.m * m.n, m.n, 1))
        phases.append(Phase((Store(m.out.name, access, _SUM, m.origins),)))
        origins = m.origins
    else:
        own = end.kernel
        # As a product that was in memory is read.
        after += [
            Compute(d.name, d.dtype, "convert", (_SUM,), m.origins) if d.name in end.product else d
            for d in own.defs
        ]
        phases += own.phases
        read += [b for b in own.inputs if b.name not in (m.out.name, *(x.name for x in inputs))]
        origins = tuple(sorted({*m.origins, *own.origins}))
    parallel = tuple(a for axes in sides for a in axes)
    return canonicalize(
        Kernel(
            name, "elementwise", (*parallel, inner), (*read, *outputs), (*terms, *after),
            tuple(phases), origins,
        )
    )  # fmt: skip
