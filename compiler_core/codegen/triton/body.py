"""The body of one Triton kernel: definitions, loads, stores and reductions at one tile.

A Body knows the tile's linear variables and which values have been defined where; it does not
know loops, which triton.py opens and closes around it.
"""

import re
from collections.abc import Iterable

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.index import (
    Dim,
    Group,
    group_name,
    groups,
    offset,
    recover,
    touches,
)
from compiler_core.codegen.triton.monoids import Monoid, monoid, storage_dtype
from compiler_core.codegen.writer import Writer
from compiler_core.ir.types import BF16, BOOL, F16, F32, I32
from compiler_core.kernel.kernel import (
    Affine,
    Compute,
    Const,
    Def,
    Effect,
    Index,
    Kernel,
    Load,
    Reduce,
    Scan,
    Store,
    operands,
    roots,
)

# Names that the printer makes itself: variables of the frame, indices of single axes.
OWN = re.compile(
    r"tl|triton|libdevice|index|row|column|batch|start|inner|acc|lhs|rhs|(\w+_)?mask|[ir]\d+(_[ir]\d+)*"
)
Tiles = tuple[str, ...]
LONG_PAIR = 40  # characters: a masked operand gets a line of its own

# How a store whose places are values joins its value with what is there.
_ATOMICS = {
    "set": "tl.store",
    "add": "tl.atomic_add",
    "maximum": "tl.atomic_max",
    "minimum": "tl.atomic_min",
}


class Body:
    """`dims` are the linear variables, the parallel ones first; `options` is the text of what a
    reduction of the tile, of `shape`, is told: its axis."""

    def __init__(
        self, w: Writer, kernel: Kernel, dims: tuple[Dim, ...], options: str, shape: str
    ) -> None:
        self._w, self._kernel, self._dims = w, kernel, dims
        self._options, self._shape = options, shape
        self._axis = options.partition(",")[0]
        self._inline = _inline_constants(kernel)
        self._passed = _passed_on(kernel)
        self.defined: set[str] = set()

    # -- names

    def _name(self, value: str) -> str:
        if value in self._inline:
            return self._inline[value]
        if value in self._passed:
            return self._name(self._passed[value])
        return f"{value}_" if OWN.fullmatch(value) or value in ops.HELPERS else value

    def _recovered(self, dim: Dim, group: Group, origins: Iterable[int]) -> str:
        name = group_name(dim, group)
        if f"index {name}" not in self.defined:
            self.defined.add(f"index {name}")
            self._w.line(f"{name} = {recover(dim, group)}", origins)
        return name

    def _offset(self, access: Affine, origins: tuple[int, ...]) -> str:
        axes = offset(access, self._dims, lambda dim, group: self._recovered(dim, group, origins))
        terms = ((self._name(x.value), x.stride) for x in access.indirect)
        values = " + ".join(name if s == 1 else f"{name} * {s}" for name, s in terms)
        return " + ".join(part for part in (values, axes) if part).replace("+ -", "- ")

    def _pointer(self, buffer: str, access: Affine, origins: tuple[int, ...]) -> str:
        where = self._offset(access, origins)
        return f"{buffer}_ptr + {where}" if where else f"{buffer}_ptr"

    def recover(self, defs: Iterable[Def], dim: Dim) -> None:
        """Writes the indices along `dim` that `defs` need: before a loop that does not move it."""
        for d in defs:
            for group in groups(d.access, dim) if isinstance(d, Load | Index) else ():
                if recover(dim, group) != dim.name:
                    self._recovered(dim, group, d.origins)

    def _masks(self, dims: Iterable[Dim]) -> list[str]:
        return [dim.mask for dim in dims if dim.mask]

    def bind(self, value: str, text: str, origins: Iterable[int]) -> None:
        """Gives a value that is at hand already."""
        self.defined.add(value)
        self._w.line(f"{self._name(value)} = {text}", origins)

    # -- definitions

    def define(self, defs: Iterable[Def]) -> None:
        """Writes those of `defs` that have not been defined, operands first."""
        for d in defs:
            if d.name in self.defined or d.name in self._inline or d.name in self._passed:
                continue
            self.defined.add(d.name)
            text = self._definition(d)
            self._w.line(f"{self._name(d.name)} = {text}", d.origins)

    def _definition(self, d: Def) -> str:
        match d:
            case Load():
                return self._load(d)
            case Const():
                dtype = ops.tl_type(ops.register(d.dtype))
                return f"tl.full((), {ops.literal(d.value)}, {dtype})"
            case Index():
                where = self._offset(d.access, d.origins)
                if not self._touched(d.access) and not d.access.indirect:
                    return f"tl.full((), {where or 0}, {ops.tl_type(ops.register(d.dtype))})"
                if d.dtype is I32:
                    return where
                whole = where if where.isidentifier() else f"({where})"
                return f"{whole}.to({ops.tl_type(ops.register(d.dtype))})"
            case Compute():
                return self._compute(d)

    def _load(self, d: Load) -> str:
        touched = self._touched(d.access)
        pointer = self._pointer(d.buffer, d.access, d.origins)
        masks = self._masks(dim for dim in self._dims if dim.name in touched)
        if d.mask is not None:
            mask = self._name(d.mask)
            masks.append(mask)
            if self._blocks(d.mask) - touched:
                # A mask may not have more points than the pointer.
                where = self._offset(d.access, d.origins) or "0"
                pointer = f"{d.buffer}_ptr + tl.where({mask}, {where}, 0)"
        guard = ""
        if masks:
            guard = f", mask={' & '.join(masks)}, other={ops.literal(d.other)}"
        widen = ".to(tl.float32)" if d.dtype in (F16, BF16) else ""
        return f"tl.load({pointer}{guard}){widen}"

    def _touched(self, access: Affine) -> set[str]:
        """The linear variables that an access tells apart, by itself or by its values."""
        own = {dim.name for dim in self._dims if touches(access, dim)}
        return own.union(*(self._blocks(v) for v in access.values))

    def _blocks(self, value: str) -> set[str]:
        """The linear variables, numbers left out, that a value varies with."""
        if value in self._kernel.scans:
            return {d.name for d in self._dims if d.block}
        if value in self._kernel.reductions:
            return {d.name for d in self._dims if d.block and d.axes == self._kernel.parallel}
        d = self._kernel.definitions[value]
        found = set[str]().union(*(self._blocks(a) for a in operands(d)))
        if isinstance(d, Load | Index):
            found |= {dim.name for dim in self._dims if dim.block and touches(d.access, dim)}
        return found

    def _compute(self, d: Compute) -> str:
        dtypes = tuple(self._kernel.dtype_of(a) for a in d.args)
        args = tuple(self._name(a) for a in d.args)
        return ops.text(ops.Call(d.op, d.dtype, args, dtypes, d.direction))

    # -- effects

    def store(self, e: Store) -> None:
        """Writes what exists of the points that the access tells apart; a store that combines
        counts every point, and no other."""
        if e in self._kernel.scattered:
            return self._scatter(e)
        pointer = self._pointer(e.buffer, e.access, e.origins)
        masks = self._masks(dim for dim in self._dims if touches(e.access, dim))
        guard = f", mask={' & '.join(masks)}" if masks else ""
        self._w.line(f"tl.store({pointer}, {self._name(e.value)}{guard})", e.origins)

    def _scatter(self, e: Store) -> None:
        pointer, touched = self._pointer(e.buffer, e.access, e.origins), self._touched(e.access)
        for dim in self._dims:
            if dim.block and dim.name not in touched:
                pointer += f" + 0 * {dim.name}"  # one address for each point
        masks = self._masks(self._dims) + ([self._name(e.mask)] if e.mask else [])
        guard = f", mask={' & '.join(masks)}" if masks else ""
        function = _ATOMICS[e.mode]
        relaxed = "" if e.mode == "set" else ', sem="relaxed"'
        self._w.line(f"{function}({pointer}, {self._name(e.value)}{guard}{relaxed})", e.origins)

    def combined(self, e: Reduce, mask: str) -> Tiles:
        """The values that `e` combines, with the identity where `mask` is false."""
        identities = self._monoid(e).identities
        if len(e.args) == 1:
            return (self._masked(e, e.args[0], self._register(e.args[0]), mask, identities[0]),)
        return tuple(
            self._masked(e, arg, self._spread(arg), mask, identity)
            for arg, identity in zip(e.args, identities, strict=True)
        )

    def _register(self, arg: str) -> str:
        value = self._name(arg)
        return f"{value}.to(tl.int32)" if self._kernel.dtype_of(arg) is BOOL else value

    def _spread(self, arg: str) -> str:
        """The value at each point of the tile: the components of a tuple have one shape."""
        if self._blocks(arg) == {d.name for d in self._dims if d.block}:
            return self._register(arg)
        return f"tl.broadcast_to({self._register(arg)}, {self._shape})"

    def _masked(self, e: Reduce | Scan, arg: str, value: str, mask: str, identity: str) -> str:
        if not mask:
            return value
        value = f"tl.where({mask}, {value}, {identity})"
        if len(e.args) == 1 and len(self._monoid(e).pair) < LONG_PAIR:
            return value
        self._w.line(f"{arg}_inside = {value}", e.origins)
        return f"{arg}_inside"

    def reduce(self, e: Reduce, tiles: Tiles) -> None:
        """Reduces the tiles to the row values of `e`; without reduce axes these are the tiles."""
        names = ", ".join(self._name(name) for name in e.names)
        if not self._options:
            self._w.line(f"{names} = {', '.join(self._name(a) for a in e.args)}", e.origins)
            return
        text = self._monoid(e).tile.format(x=", ".join(tiles), options=self._options)
        if len(e.names) == 1:
            text = self._row_value(e.args[0], text)
        self._w.line(f"{names} = {text}", e.origins)
        self._narrow(e)

    def _narrow(self, e: Reduce | Scan) -> None:
        """The components of a tuple in the types that they have between effects."""
        for name, arg in zip(e.names, e.args, strict=True):
            own = self._row_value(arg, self._name(name))
            if len(e.names) > 1 and own != self._name(name):
                self._w.line(f"{self._name(name)} = {own}", e.origins)

    def _row_value(self, arg: str, text: str) -> str:
        dtype = self._kernel.dtype_of(arg)
        if dtype is BOOL:
            return f"{text} != 0"
        narrow = dtype.is_integer and dtype.bits < 32
        return f"{text}.to({ops.tl_type(dtype)})" if narrow else text

    def accumulate(self, e: Reduce, values: Tiles) -> None:
        total = ", ".join(accumulators(e))
        text = self._monoid(e).pair.format(a=total, b=", ".join(values))
        self._w.line(f"{total} = {text}", e.origins)

    def begin(self, e: Reduce) -> None:
        """Accumulators as wide as the tile, reduced once after the loop."""
        for name, arg, identity in zip(
            accumulators(e), e.args, self._monoid(e).identities, strict=True
        ):
            kind = ops.tl_type(storage_dtype(self._kernel.dtype_of(arg)))
            self._w.line(f"{name} = tl.full({self._shape}, {identity}, {kind})", e.origins)

    # -- scans

    def scan(self, e: Scan) -> None:
        """Running values along the tile."""
        text = self._monoid(e).scan.format(x=", ".join(self._tiles(e, "")), axis=self._axis)
        self._running(e, text)

    def scan_on(self, e: Scan, mask: str) -> None:
        """The same in a loop over tiles, which carries what those before combine to."""
        m, tiles = self._monoid(e), ", ".join(self._tiles(e, mask))
        # Of one row, too, a block of one: the interpreter cannot spread a scalar comparison.
        kept = f"{self._axis}, keep_dims=True"
        carries, parts, totals = (_suffixed(e, s) for s in ("carry", "part", "total"))
        self._w.line(f"{parts} = {m.scan.format(x=tiles, axis=self._axis)}", e.origins)
        self._running(e, m.pair.format(a=carries, b=parts))
        self._w.line(f"{totals} = {m.tile.format(x=tiles, options=kept)}", e.origins)
        self._w.line(f"{carries} = {m.pair.format(a=carries, b=totals)}", e.origins)

    def begin_scan(self, e: Scan, shape: str) -> None:
        """What a loop over tiles carries, of the shape of a row value."""
        for name, arg, identity in zip(e.names, e.args, self._monoid(e).identities, strict=True):
            kind = ops.tl_type(storage_dtype(self._kernel.dtype_of(arg)))
            self._w.line(f"{name}_carry = tl.full({shape}, {identity}, {kind})", e.origins)

    def _tiles(self, e: Scan, mask: str) -> Tiles:
        """The values that `e` combines, of one shape, with the identity where `mask` is false."""
        return tuple(
            self._masked(e, arg, self._spread(arg), mask, identity)
            for arg, identity in zip(e.args, self._monoid(e).identities, strict=True)
        )

    def _running(self, e: Scan, text: str) -> None:
        if len(e.names) == 1 and self._row_value(e.args[0], "") != "":
            text = self._row_value(e.args[0], f"({text})")
        self._w.line(f"{', '.join(map(self._name, e.names))} = {text}", e.origins)
        self._narrow(e)

    def _monoid(self, e: Reduce | Scan) -> Monoid:
        return monoid(e.monoid, tuple(self._kernel.dtype_of(a) for a in e.args))


def _suffixed(e: Scan, suffix: str) -> str:
    return ", ".join(f"{name}_{suffix}" for name in e.names)


def accumulators(e: Reduce) -> Tiles:
    return tuple(f"{name}_tile" for name in e.names)


def _users(kernel: Kernel) -> dict[str, list[Def | Effect]]:
    users: dict[str, list[Def | Effect]] = {d.name: [] for d in kernel.defs}
    for d in kernel.defs:
        for a in operands(d):
            users.setdefault(a, []).append(d)
    for phase in kernel.phases:
        for e in phase.effects:
            for a in roots(e):
                users.setdefault(a, []).append(e)
    return users


def _inline_constants(kernel: Kernel) -> dict[str, str]:
    """Constants that are written where they are used: those whose type Triton infers there."""
    users = _users(kernel)

    def plain(d: Const) -> bool:
        return d.dtype in (F32, F16, BF16, I32) and all(
            isinstance(u, Store) or (isinstance(u, Compute) and len(u.args) > 1)
            for u in users[d.name]
        )

    return {d.name: ops.literal(d.value) for d in kernel.defs if isinstance(d, Const) and plain(d)}


def _passed_on(kernel: Kernel) -> dict[str, str]:
    """Conversions that need no text: between types of one storage dtype, where nothing reads the
    rounded value but a store, which rounds."""
    users = _users(kernel)
    result = {}
    for d in kernel.defs:
        if not (isinstance(d, Compute) and d.op == "convert"):
            continue
        source = kernel.dtype_of(d.args[0])
        if ops.register(source) is not ops.register(d.dtype):
            continue
        rounds = d.dtype in (F16, BF16) and source is not d.dtype
        if not rounds or all(isinstance(u, Store) for u in users[d.name]):
            result[d.name] = d.args[0]
    return result
