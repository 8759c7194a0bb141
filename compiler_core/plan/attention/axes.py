"""The axes of an attention, derived from the index expressions of its two products and its softmax.

The softmax's kernel relates each of its points to an element of the scores (its load) and of the
weights (its store). This determines batch, row and key in both products: an axis that is a row in
both is the template's row, and all others are batch axes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compiler_core.ir.sizes import Dim, divided, hint, is_proved
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine
from compiler_core.kernel.attention import DEPTH, KEY, ROW
from compiler_core.kernel.effects import Store
from compiler_core.kernel.inline import over, substituted
from compiler_core.kernel.kernel import Axis, BufferParam, Kernel, Load
from compiler_core.plan.steps import Matmul

_D = Affine(((DEPTH, 1),))
_KEY = Affine(((KEY, 1),))


@dataclass(frozen=True)
class Side:
    """An operand of a product: a dense [batch, free, contracted] block, the last two swapped if
    `crossed`."""

    buffer: BufferParam
    batched: bool
    free: Dim
    contracted: Dim
    crossed: bool

    def at(self, batch: Affine, free: Affine, contracted: Affine) -> Affine:
        """The place of an element in the buffer."""
        inner, step, outer = contracted, self.contracted, free
        if self.crossed:
            inner, step, outer = free, self.free, contracted
        start = affine.scale(batch, self.free * self.contracted if self.batched else 0)
        return affine.add(start, affine.add(affine.scale(outer, step), inner))

    def index(self, access: Affine, extents: affine.Extents) -> affine.Index | None:
        """(batch, free, contracted) of the element at `access`."""
        elements = self.buffer.type.elements
        batch = divided(elements, self.free * self.contracted)
        if batch is None:
            return None
        last = (self.contracted, self.free) if self.crossed else (self.free, self.contracted)
        found = affine.reshape((access,), (elements,), (batch, *last), extents)
        if found is None or not self.crossed:
            return found
        return found[0], found[2], found[1]

    @property
    def inner(self) -> Dim:
        """The extent of the contiguous side."""
        return self.free if self.crossed else self.contracted


@dataclass(frozen=True)
class Axes:
    """`kernel` is the softmax's over the template's axes, without its effects, and `along` are the
    axes of rows and keys. At a point of these, `batch1` and `row1` are the batch and the row of the
    first product, `batch2` is the batch of the second, and `result` the offset of the result's
    element."""

    kernel: Kernel
    along: tuple[Axis, Axis]
    batch: tuple[Axis, ...]
    query: Side
    key: Side
    value: Side
    batch1: Affine
    row1: Affine
    batch2: Affine
    result: Affine

    def accesses(self) -> Mapping[str, Affine]:
        """The index expressions by which operands are read, by buffer, and the result written,
        under ""."""
        found = {
            self.query.buffer.name: self.query.at(self.batch1, self.row1, _D),
            self.key.buffer.name: self.key.at(self.batch1, _KEY, _D),
            self.value.buffer.name: self.value.at(self.batch2, _D, _KEY),
        }
        return {**found, "": self.result}

    def cut(self, axis: Axis, outer: Dim, inner: Dim) -> "Axes":
        """The axes with a batch axis split in two, of `outer` and `inner` points."""
        halves = [replace(axis, extent=outer), replace(axis, extent=inner)]
        extents = [x for a in self.batch for x in (halves if a is axis else [a])]
        batch = tuple(replace(a, name=f"i{i}") for i, a in enumerate(extents))
        place = self.batch.index(axis)
        moves = {
            a.name: Affine(((batch[i + (i > place)].name, 1),)) for i, a in enumerate(self.batch)
        }
        moves[axis.name] = Affine(((batch[place].name, inner), (batch[place + 1].name, 1)))
        four = (self.batch1, self.row1, self.batch2, self.result)
        batch1, row1, batch2, result = (substituted(x, moves) for x in four)
        return replace(
            self, kernel=over(self.kernel, (*batch, *self.along), moves), batch=batch,
            batch1=batch1, row1=row1, batch2=batch2, result=result,
        )  # fmt: skip


@dataclass(frozen=True)
class NoAxes:
    """Why the axes cannot be derived."""

    reason: str


def sides(m: Matmul) -> tuple[Side, Side]:
    """The two operands of a product, each with its free side and the side that is contracted."""
    left = Side(m.lhs, m.lhs_batched, m.m, m.k, m.transpose_lhs)
    return left, Side(m.rhs, m.rhs_batched, m.n, m.k, not m.transpose_rhs)


def axes_of(scores: Matmul, kernel: Kernel, store: Store, product: Matmul) -> Axes | NoAxes:
    """The axes of softmax(scores) @ values, with either product in either operand order."""
    read = _read(scores, kernel, product)
    if isinstance(read, NoAxes):
        return read
    on_right = product.rhs.name == store.buffer
    value, weights = sides(product) if on_right else reversed(sides(product))
    scored = Side(scores.out, True, scores.m, scores.n, False)
    kernel, moves = _split(kernel, ((read, scored), (store.access, weights)))
    extents = {a.name: a.extent for a in kernel.axes}
    one = scored.index(substituted(read, moves), extents)
    two = weights.index(written := substituted(store.access, moves), extents)
    if one is None or two is None or not (weights.batched or product.batch == 1):
        return NoAxes("the rows of the scores are not those of the weights")
    key = Affine(((kernel.reduce[0].name, 1),))
    query_side, key_side = sides(scores)
    if key == one[1]:
        one, query_side, key_side = (one[0], one[2], one[1]), key_side, query_side
    if (one[2], two[2]) != (key, key):
        return NoAxes("the keys come in another order in the weights than in the scores")
    axes, renamed = _template_axes(kernel, written, _row(kernel, one, two))
    batch1, row1, batch2, row2 = (substituted(x, renamed) for x in (one[0], one[1], two[0], two[1]))
    return Axes(
        replace(over(kernel, axes, renamed), phases=()), (axes[-2], axes[-1]), axes[:-2],
        query_side, key_side, value, batch1, row1, batch2,
        _result(product, on_right, batch2, row2),
    )  # fmt: skip


def _read(scores: Matmul, kernel: Kernel, product: Matmul) -> Affine | NoAxes:
    """Where the softmax reads the scores; why it is none if it does so in several ways."""
    loads = [d for d in kernel.defs if isinstance(d, Load) and d.buffer == scores.out.name]
    accesses = {d.access: None for d in loads}
    if len(accesses) != 1 or any(d.mask for d in loads):
        return NoAxes("the softmax reads the scores at several indices, or a part of them")
    if product.lhs.name == product.rhs.name:
        return NoAxes("the weights are both operands of the second product")
    if len(kernel.reduce) != 1:
        return NoAxes("the softmax reduces over several axes, and attention has one axis of keys")
    return next(iter(accesses))


def _template_axes(
    kernel: Kernel, written: Affine, row: Axis | None
) -> tuple[tuple[Axis, ...], Mapping[str, Affine]]:
    """The template's axes: batch axes in the order of the weights in memory, then rows and keys;
    and what the kernel's own axes are among them."""
    (keys,) = kernel.reduce
    batch = sorted(
        (a for a in kernel.parallel if a is not row), key=lambda a: -hint(written.stride(a.name))
    )
    names = {a.name: f"i{i}" for i, a in enumerate(batch)} | {keys.name: KEY}
    names |= {} if row is None else {row.name: ROW}
    rows = Axis(ROW, 1 if row is None else row.extent, "parallel")
    own = (Axis(names[a.name], a.extent, "parallel") for a in batch)
    axes = (*own, rows, Axis(KEY, keys.extent, "parallel"))
    return axes, {old: Affine(((new, 1),)) for old, new in names.items()}


def _row(kernel: Kernel, one: affine.Index, two: affine.Index) -> Axis | None:
    """The axis that counts rows, and rows only, in either product: neighbours in the weights."""
    for axis in kernel.parallel:
        in_batch = one[0].stride(axis.name) or two[0].stride(axis.name)
        if two[1].stride(axis.name) == 1 and one[1].stride(axis.name) and not in_batch:
            return axis
    return None


def _result(product: Matmul, weights_right: bool, batch: Affine, row: Affine) -> Affine:
    """Where element `d` of a row is in what the second product writes."""
    row, column = (_D, row) if weights_right else (row, _D)
    start = affine.scale(batch, product.m * product.n)
    return affine.add(start, affine.add(affine.scale(row, product.n), column))


def _split(
    kernel: Kernel, accesses: Sequence[tuple[Affine, Side]]
) -> tuple[Kernel, Mapping[str, Affine]]:
    """The kernel with parallel axes that do not cross from rows to batch; what the old ones are."""
    moves: dict[str, Affine] = {}
    bounds = [
        (access, bound)
        for access, side in accesses
        for bound in (side.inner, side.free * side.contracted)
    ]
    for access, bound in bounds:
        for axis in kernel.parallel:
            parts = crossing(substituted(access, moves), axis, bound)
            if parts is not None:
                kernel, moved = _cut(kernel, axis, *parts)
                moves = {a: substituted(x, moved) for a, x in moves.items()} | moved
    return kernel, moves


def crossing(access: Affine, axis: Axis, bound: Dim) -> tuple[Dim, Dim] | None:
    """The extents (outer, inner) of `axis` split where its steps through memory reach `bound`
    elements, which is where an outer dimension begins; None if they do not, or do so only for some
    values of a symbol."""
    stride, extent = access.stride(axis.name), axis.extent
    if not is_proved(lambda: 0 < stride < bound < stride * extent):
        return None
    inner = divided(bound, stride)
    outer = None if inner is None else divided(extent, inner)
    return None if inner is None or outer is None else (outer, inner)


def _cut(kernel: Kernel, axis: Axis, outer: Dim, inner: Dim) -> tuple[Kernel, dict[str, Affine]]:
    parts = (
        replace(axis, name=f"{axis.name}o", extent=outer),
        replace(axis, name=f"{axis.name}i", extent=inner),
    )
    axes = [x for a in kernel.axes for x in (parts if a is axis else (a,))]
    moved = {axis.name: Affine(((parts[0].name, inner), (parts[1].name, 1)))}
    return over(kernel, axes, moved), moved
