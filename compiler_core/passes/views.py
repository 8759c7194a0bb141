"""View simplification: chains of reshape, transpose, broadcast and convert become one operation, or
none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import ELEMENTWISE
from compiler_core.ir.sizes import Dim, product
from compiler_core.ir.types import TensorType
from compiler_core.passes.recording import Rewriting
from compiler_core.rewrite.engine import Rule


def _nothing(node: Value, b: Builder) -> Value | None:
    """A view or conversion that changes nothing."""
    (operand, *_) = node.operands
    if node.op == "transpose" and node["permutation"] != tuple(range(node.type.rank)):
        return None
    return operand if operand.type == node.type else None


def _reshape_twice(node: Value, b: Builder) -> Value | None:
    if node.operands[0].op != "reshape":
        return None
    return b.reshape(node.operands[0].operands[0], node.type.shape)


def _transpose_twice(node: Value, b: Builder) -> Value | None:
    if node.operands[0].op != "transpose":
        return None
    inner = node.operands[0]["permutation"]
    return b.transpose(node.operands[0].operands[0], [inner[i] for i in node["permutation"]])


def _broadcast_twice(node: Value, b: Builder) -> Value | None:
    if node.operands[0].op != "broadcast_in_dim":
        return None
    inner = node.operands[0]
    dimensions = [node["dimensions"][d] for d in inner["dimensions"]]
    return b.broadcast_in_dim(inner.operands[0], node.type.shape, dimensions)


def _broadcast_of_unit_reshape(node: Value, b: Builder) -> Value | None:
    """A reshape that only adds dimensions of size 1 is part of the broadcast that follows."""
    if node.operands[0].op != "reshape":
        return None
    reshaped, source = node.operands[0], node.operands[0].operands[0]
    kept = [i for i, size in enumerate(reshaped.type.shape) if size != 1]
    if tuple(reshaped.type.shape[i] for i in kept) != source.type.shape:
        return None
    return b.broadcast_in_dim(source, node.type.shape, [node["dimensions"][i] for i in kept])


def _view_of_upcast(node: Value, b: Builder) -> Value | None:
    """What is in memory between two kernels is then the narrow integer, of half the bytes."""
    (upcast,) = node.operands
    if upcast.op != "convert":
        return None
    (source,) = upcast.operands
    integers = source.type.dtype.kind == upcast.type.dtype.kind == "int"
    if not integers or source.type.dtype.bits >= upcast.type.dtype.bits:
        return None
    if node.op == "reshape":
        viewed = b.reshape(source, node.type.shape)
    else:
        viewed = b.broadcast_in_dim(source, node.type.shape, node["dimensions"])
    return b.convert(viewed, upcast.type.dtype)


def _reduce_of_units(node: Value, b: Builder) -> Value | None:
    """Reducing a single element gives that element."""
    (operand, *others) = node.operands
    if others or any(operand.type.shape[d] != 1 for d in node["dimensions"]):
        return None
    return b.reshape(operand, node.type.shape)


def _reduce_of_merged(node: Value, b: Builder) -> Value | None:
    """A reduction of dimensions that a reshape has merged is one of those before it, which an
    elementwise producer is computed over; other operands, such as places, follow."""
    merged, *others = node.operands
    if merged.op != "reshape" or 0 in merged.type.shape:
        return None
    (source,), reduced = merged.operands, node["dimensions"]
    groups = _split(source.type.shape, merged.type.shape)
    if groups is None or any(len(g) != 1 for i, g in enumerate(groups) if i not in reduced):
        return None
    if all(len(groups[i]) <= 1 for i in reduced):
        return None
    dimensions = tuple(d for i in reduced for d in groups[i])
    operands = [source, *(b.reshape(x, source.type.shape) for x in others)]
    results = b.operation("reduce", operands, monoid=node["monoid"], dimensions=dimensions)
    return results[node.operation.results.index(node)]


def _mixing_of_computed(node: Value, b: Builder) -> Value | None:
    """What is computed element by element from transposes, merged, and from what is the same along
    all that is merged, as a bias of channels is, is computed from what they are of: no loop reads
    such a view in place, so the computation is part of the loop that writes it."""
    views = [x for x in node.operands if _is_mixing(x)]
    if not views or len({(x.operands[0]["permutation"], _base(x).type.shape) for x in views}) > 1:
        return None
    if not all(_is_mixing(x) or _is_alike(x, views[0]) for x in node.operands):
        return None
    operands = [_beside(x, views[0], b) for x in node.operands]
    types = (TensorType(node.type.dtype, _base(views[0]).type.shape),)
    computed = replace(b.copy(node.operation, operands), types=types).result
    origins = (o for x in views for o in (*x.origins, *x.operands[0].origins))
    with b.origin(*node.origins, *origins):
        permutation = views[0].operands[0]["permutation"]
        return b.reshape(b.transpose(computed, permutation), node.type.shape)


def _base(view: Value) -> Value:
    """What is transposed and merged."""
    return view.operands[0].operands[0]


def _is_alike(x: Value, view: Value) -> bool:
    """Whether `x` is the same along all that `view` merges."""
    spread = x.op == "broadcast_in_dim"
    return x.op == "constant" or (spread and _unmerged(x["dimensions"], view) is not None)


def _beside(x: Value, view: Value, b: Builder) -> Value:
    """`x`, which an operation reads beside `view`, as it is beside what that is of."""
    shape = _base(view).type.shape
    if x.op == "constant":
        return b.scalar(x["value"], x.type.dtype, shape)
    if _is_mixing(x):
        return _base(x)
    return b.broadcast_in_dim(x.operands[0], shape, _unmerged(x["dimensions"], view) or ())


def _unmerged(dimensions: Sequence[int], view: Value) -> tuple[int, ...] | None:
    """The dimensions behind `view` of which its `dimensions` are, in their order; None where one of
    them is merged of several."""
    transpose = view.operands[0]
    shape, permutation = transpose.type.shape, transpose["permutation"]
    groups = _split(shape, view.type.shape) or ()
    found = [[permutation[d] for d in groups[at] if shape[d] != 1] for at in dimensions]
    places = tuple(each[0] for each in found if len(each) == 1)
    return places if len(places) == len(found) and list(places) == sorted(places) else None


def _is_mixing(view: Value) -> bool:
    """Whether it merges neighbouring dimensions of a transpose that were none before."""
    if view.op != "reshape" or view.operands[0].op != "transpose":
        return False
    transpose = view.operands[0]
    shape, permutation = transpose.type.shape, transpose["permutation"]
    groups = _split(shape, view.type.shape) or ()
    merged = ([permutation[d] for d in group if shape[d] != 1] for group in groups)
    return any(b != a + 1 for each in merged for a, b in pairwise(each))


def _split(before: Sequence[Dim], after: Sequence[Dim]) -> list[range] | None:
    """For each dimension of `after` the neighbouring ones of `before` that it is made of; None if
    one of `before` is in parts."""
    groups, first = [], 0
    for size in after:
        end = first
        while end < len(before) and product(before[first:end]) != size:
            end += 1
        if product(before[first:end]) != size:
            return None
        groups.append(range(first, end))
        first = end
    return groups if first == len(before) else None


RULES = (
    Rule("reduce-of-units", "reduce(x, over sizes of 1) -> reshape(x)", _reduce_of_units,
         roots=("reduce",)),
    Rule("reduce-of-merged", "reduce(reshape(x, merged), d) -> reduce(x, what d was merged of)",
         _reduce_of_merged, "nothing that computes x needs to be in memory", roots=("reduce",)),
    Rule("elementwise-behind-merged", "f(reshape(transpose(x))) -> reshape(transpose(f(x)))",
         _mixing_of_computed, "one loop reads x, computes f and writes what no loop reads in place",
         roots=tuple(sorted(ELEMENTWISE))),
    Rule("view-of-nothing", "view(x) -> x, same type", _nothing,
         roots=("reshape", "transpose", "broadcast_in_dim", "convert", "slice")),
    Rule("reshape-twice", "reshape(reshape(x)) -> reshape(x)", _reshape_twice,
         roots=("reshape",)),
    Rule("transpose-twice", "transpose(transpose(x)) -> transpose(x)", _transpose_twice,
         roots=("transpose",)),
    Rule("broadcast-twice", "broadcast(broadcast(x)) -> broadcast(x)", _broadcast_twice,
         roots=("broadcast_in_dim",)),
    Rule("broadcast-keepdims", "broadcast(reshape(x, with 1s)) -> broadcast(x)",
         _broadcast_of_unit_reshape, roots=("broadcast_in_dim",)),
    Rule("widening-last", "view(convert(x)) -> convert(view(x)) of an integer to a wider one",
         _view_of_upcast, "what reads x in its own type need not widen it",
         roots=("broadcast_in_dim", "reshape")),
)  # fmt: skip


@dataclass(frozen=True)
class MergeViews(Rewriting):
    """Reshapes, transposes, slices and broadcasts of each other become one view or none."""

    name = "merge-views"
    about = "chains of views become one, or nothing"

    @property
    def rules(self) -> tuple[Rule, ...]:
        return RULES
