"""Lowering of reductions and scans.

Each becomes one effect of the kernel for all results of the operation. A reduction ends its loop:
its values are available from the next phase on. A scan's values are available in the same phase.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from math import prod

from compiler_core.ir.graph import Value
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import Dim, is_proved
from compiler_core.ir.types import I32, I64, DType
from compiler_core.kernel import affine, windows
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import Index
from compiler_core.kernel.effects import Phase, Reduce, Scan
from compiler_core.kernel.kernel import Index as IndexValue
from compiler_core.kernel.kernel import Kernel, operands, roots
from compiler_core.kernel.point import Asking, Nest
from compiler_core.kernel.refusal import Refused, named

Rule = Callable[[Nest, Value, Index], Asking[Reduce | Scan]]


def loop_space(node: Value) -> tuple[tuple[Dim, ...], tuple[int, ...]]:
    """The extents of the loops that a reduction or scan needs, and which of these it combines
    along."""
    if node.op == "reduce_window":
        rank = node.type.rank
        return windows.space(node), tuple(range(rank, 2 * rank))
    along = (node["dimension"],) if node.op == "cumulative" else tuple(node["dimensions"])
    return node.operands[0].type.shape, along


def refuse_empty(members: Collection[Value]) -> None:
    """Raises Refused for an operation without elements, or over a loop without points, that would
    share its loop with others: there is no point of that loop at which to compute it."""
    for node in members if len(members) > 1 else ():
        walked = loop_space(node)[0] if node.op in RULES else ()
        if 0 in (*node.type.shape, *walked):
            raise Refused(
                "no elements",
                f"{named(node)} has no elements, so there is no loop to share with it",
            )


def same_extents(combined: Sequence[Value], widest: Value) -> None:
    """Raises Refused for reductions over different numbers of elements: one loop must compute all
    of them. `widest` is the largest one."""
    for node in combined:
        own, kernel = _extents(node), _extents(widest)
        if prod(own) != prod(kernel) or (own != kernel and "reduce_window" in (node.op, widest.op)):
            raise Refused(
                "other extents",
                f"{named(node)} loops over extents {own}, {named(widest)} over {kernel}: "
                "they cannot share one loop",
            )


def _extents(node: Value) -> tuple[Dim, ...]:
    extents, along = loop_space(node)
    return tuple(extents[d] for d in along)


# -- one operation


def combined(nest: Nest, node: Value, index: Index) -> Asking[str]:
    """The name of `node`'s element at `index`: one component of the operation's effect there."""
    if node.op == "cumulative" and node.type.shape[node["dimension"]] == 1:
        return (yield node.operands[node.index], index)
    key = (node.operation, index)
    if key not in nest.effect_of:
        nest.effect_of[key] = yield from RULES[node.op](nest, node, index)
    effect = nest.effect_of[key]
    name, dtype = effect.names[node.index], effect.dtypes[node.index]
    if dtype is node.type.dtype:
        return name
    return nest.compute(node, node.type.dtype, "convert", (name,))


def _reduce(nest: Nest, node: Value, index: Index) -> Asking[Reduce]:
    _whole_rows(nest, node, index)
    shape = _extents(node)
    inner = affine.reshape(nest.loops.reduced_index, nest.loops.reduced_shape, shape, nest.extents)
    if inner is None or prod(shape) != prod(nest.loops.reduced_shape):
        raise Refused(
            "other extents",
            f"{named(node)} loops over extents {shape}, the kernel's loop over "
            f"{nest.loops.reduced_shape}: they cannot share it",
        )
    if node.op == "reduce_window":
        args, dtypes = yield from _of_window(nest, node, index, inner)
    else:
        at = _inserted(index, node["dimensions"], inner)
        args, dtypes = yield from _args(nest, node, at)
    level = max(nest.level[a] for a in args)
    names = tuple(nest.new_name(level + 1) for _ in args)
    effect = Reduce(names, dtypes, node["monoid"], args, node.origins)
    nest.effect(effect, level)
    return effect


def _of_window(
    nest: Nest, node: Value, index: Index, within: Index
) -> Asking[tuple[tuple[str, ...], tuple[DType, ...]]]:
    """The values to combine, beside the operands the identity, and their types."""
    at, inside = windows.place(nest, node, index, within)
    with nest.under(node, inside):
        args, dtypes = yield from _args(nest, node, at)
    if inside is None:
        return args, dtypes
    none = MONOIDS[node["monoid"]].identity(dtypes[0])
    each = zip(args, dtypes, none, strict=True)
    return tuple(
        nest.compute(node, t, "select", (inside, a, nest.constant(t, value)))
        for a, t, value in each
    ), dtypes


def _inserted(index: Index, dimensions: Sequence[int], parts: Index) -> Index:
    """`index` with `parts` inserted at the positions `dimensions`."""
    inner = list(index)
    for dimension, part in zip(dimensions, parts, strict=True):
        inner.insert(dimension, part)
    return tuple(inner)


def _scan(nest: Nest, node: Value, index: Index) -> Asking[Scan]:
    dimension = node["dimension"]
    _whole_rows(nest, node, (*index[:dimension], *index[dimension + 1 :]))
    (axis,) = nest.loops.reduce
    forwards = index[dimension] == Affine(((axis.name, 1),))
    backwards = index[dimension] == Affine(((axis.name, -1),), axis.extent - 1)
    if not forwards and not backwards:
        raise Refused(
            "needed elsewhere",
            f"{named(node)} is read at another element than the one that the loop computes",
        )
    _one_way(nest, node, bool(node["reverse"]) != backwards)
    args, dtypes = yield from _args(nest, node, index)
    level = max(nest.level[a] for a in args)
    names = tuple(nest.new_name(level) for _ in args)
    effect = Scan(names, dtypes, node["monoid"], args, axis.name, node.origins)
    nest.effect(effect, level)
    return effect


RULES: dict[str, Rule] = {"reduce": _reduce, "reduce_window": _reduce, "cumulative": _scan}


def _whole_rows(nest: Nest, node: Value, kept: Index) -> None:
    """Refuses a reduction that is not needed exactly once for each point of the parallel axes."""
    if nest.mask is not None:
        raise Refused(
            "needed elsewhere",
            f"{named(node)} is read under a mask, at a part of the loop's points",
        )
    used = {axis for part in kept for axis, _ in part.terms}
    if used & {a.name for a in nest.loops.reduce}:
        raise Refused(
            "needed elsewhere", f"{named(node)} is read inside the loop that it is reduced over"
        )
    if any(part.indirect for part in kept):
        raise Refused(
            "needed elsewhere",
            f"{named(node)} is read at an index that is data, so it must be in memory",
        )
    if used != {a.name for a in nest.loops.axes if a.kind == "parallel"}:
        raise Refused(
            "other axes",
            f"the result of {named(node)} does not have the kernel's parallel axes "
            f"{nest.loops.kept_shape}",
        )


def _one_way(nest: Nest, node: Value, backwards: bool) -> None:
    if nest.backwards not in (None, backwards):
        raise Refused(
            "needed elsewhere",
            f"{named(node)} scans in the opposite direction to another scan of the loop",
        )
    nest.backwards = backwards


def _args(
    nest: Nest, node: Value, index: Index
) -> Asking[tuple[tuple[str, ...], tuple[DType, ...]]]:
    """The values to combine and their types. Indices are combined in 32 bits where they fit, which
    halves vectors and registers."""
    args = list[str]()
    for x in node.operation.operands:
        args.append((yield x, index))
    dtypes = [t.dtype for t in node.operation.types]
    for i, component in enumerate(MONOIDS[node["monoid"]].components):
        d = nest.definition(args[i]) if component == "index" and dtypes[i] is I64 else None
        if isinstance(d, IndexValue) and _fits(nest, d.access):
            args[i], dtypes[i] = nest.index(node, I32, d.access), I32
    return tuple(args), tuple(dtypes)


def _fits(nest: Nest, access: Affine) -> bool:
    low, high = affine.bounds(access, nest.extents)
    return not access.indirect and is_proved(lambda: low > -(2**31) and high < 2**31 - 1)


# -- of the whole kernel


def place_scans(kernel: Kernel) -> Kernel:
    """Moves each scan to the one phase that uses its values. Raises Refused if several phases use
    them, since running values exist only in the loop that computes them, and if none does."""
    for number, phase in enumerate(kernel.phases):
        for e in phase.effects:
            if isinstance(e, Scan) and (needed := _needing(kernel, e)) != {number}:
                if len(needed) != 1:
                    passes = "in several passes" if needed else "nowhere in the kernel"
                    raise Refused(
                        "needed elsewhere",
                        f"the running values {', '.join(e.names)} of a scan are needed {passes}",
                    )
                return place_scans(_moved(kernel, e, *needed))
    return kernel


def _needing(kernel: Kernel, scan: Scan) -> set[int]:
    """The phases that read running values of `scan`."""
    found = set()
    for number, phase in enumerate(kernel.phases):
        read = set(roots(*phase.effects))
        read |= {a for d in kernel.needed(read) for a in operands(d)}
        if read & set(scan.names):
            found.add(number)
    return found


def _moved(kernel: Kernel, scan: Scan, number: int) -> Kernel:
    phases = [[e for e in p.effects if e is not scan] for p in kernel.phases]
    phases[number].insert(0, scan)
    return replace(kernel, phases=tuple(Phase(tuple(p)) for p in phases if p))
