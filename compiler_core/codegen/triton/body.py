"""The body of a Triton kernel for one tile: definitions, then stores, reductions and scans."""

from compiler_core.codegen.triton import ops
from compiler_core.codegen.triton.definitions import Definitions
from compiler_core.codegen.triton.index import touches
from compiler_core.codegen.triton.monoids import Monoid, monoid, storage_dtype
from compiler_core.ir.types import BOOL
from compiler_core.kernel.effects import Reduce, Scan, Store

Tiles = tuple[str, ...]
LONG_PAIR = 40  # characters: a masked operand gets a line of its own

# Triton's atomic function for each way in which a scatter combines.
_ATOMICS = {
    "set": "tl.store",
    "add": "tl.atomic_add",
    "maximum": "tl.atomic_max",
    "minimum": "tl.atomic_min",
}
# Helper functions for combinations of floats that Triton lacks, or that overlook NaN there.
_OF_FLOATS = {"maximum": "atomic_maximum", "minimum": "atomic_minimum"}
_BY_SWAPS = {"multiply": "atomic_product"}


class Body(Definitions):
    """Writes the definitions and effects of one tile."""

    def store(self, e: Store) -> None:
        """Writes a store to the points that exist, each address once; a scatter, if the store's
        places are computed or it combines."""
        if e in self._kernel.scattered:
            return self._scatter(e)
        pointer = self._pointer(e.buffer, e.access, e.origins)
        masks = self._masks(dim for dim in self._dims if touches(e.access, dim))
        mask = f", mask={' & '.join(masks)}" if masks else ""
        self._w.line(f"tl.store({pointer}, {self.name(e.value)}{mask})", e.origins)

    def _scatter(self, e: Store) -> None:
        pointer, touched = self._pointer(e.buffer, e.access, e.origins), self._touched(e.access)
        for dim in self._dims:
            if dim.block and dim.name not in touched:
                pointer += f" + 0 * {dim.name}"  # one address for each point
        masks = self._masks(self._dims) + ([self.name(e.mask)] if e.mask else [])
        mask = f", mask={' & '.join(masks)}" if masks else ""
        dtype = self._kernel.dtype_of(e.value)
        own = _BY_SWAPS | (_OF_FLOATS if dtype.is_float else {})
        if e.mode in own:
            return self._by_helper(own[e.mode], pointer, e, masks, dtype.bits)
        function = _ATOMICS[e.mode]
        relaxed = "" if e.mode == "set" else ', sem="relaxed"'
        self._w.line(f"{function}({pointer}, {self.name(e.value)}{mask}{relaxed})", e.origins)

    def _by_helper(self, name: str, pointer: str, e: Store, masks: list[str], bits: int) -> None:
        """By a helper, which is told of integers as wide."""
        value, mask = self.name(e.value), " & ".join(masks) or "True"
        own = (
            f"{e.buffer}_ptr, tl.int{bits}"
            if e.mode == "multiply"
            else f"tl.int{bits}, tl.uint{bits}"
        )
        self._w.line(f"{name}({pointer}, {value}, {mask}, {own})", e.origins)

    def combined(self, e: Reduce, mask: str) -> Tiles:
        """The values that `e` combines, with the monoid's identity where `mask` is false."""
        identities = self._monoid(e).identities
        if len(e.args) == 1:
            return (self._masked(e, e.args[0], self._register(e.args[0]), mask, identities[0]),)
        return tuple(
            self._masked(e, arg, self._spread(arg), mask, identity)
            for arg, identity in zip(e.args, identities, strict=True)
        )

    def _register(self, arg: str) -> str:
        value = self.name(arg)
        return f"{value}.to(tl.int32)" if self._kernel.dtype_of(arg) is BOOL else value

    def spans(self, value: str) -> bool:
        """Whether a value has the whole tile's shape."""
        return self._blocks[value] == {d.name for d in self._dims if d.block}

    def _spread(self, arg: str) -> str:
        """The value broadcast to the whole tile: the components of a tuple must have one shape."""
        if self.spans(arg):
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
        """Reduces the tiles to the row values of `e`; without reduce axes these are the tiles
        themselves."""
        names = ", ".join(self.name(name) for name in e.names)
        if not self._options:
            self._w.line(f"{names} = {', '.join(self.name(a) for a in e.args)}", e.origins)
            return
        text = self._monoid(e).tile.format(x=", ".join(tiles), options=self._options)
        if len(e.names) == 1:
            text = self._row_value(e.args[0], text)
        self._w.line(f"{names} = {text}", e.origins)
        self._downcast(e)

    def _downcast(self, e: Reduce | Scan) -> None:
        """The components of a tuple in the types that they have between effects."""
        for name, arg in zip(e.names, e.args, strict=True):
            own = self._row_value(arg, self.name(name))
            if len(e.names) > 1 and own != self.name(name):
                self._w.line(f"{self.name(name)} = {own}", e.origins)

    def _row_value(self, arg: str, text: str) -> str:
        dtype = self._kernel.dtype_of(arg)
        if dtype is BOOL:
            return f"{text} != 0"
        is_upcast = dtype.is_integer and dtype.bits < 32
        return f"{text}.to({ops.tl_type(dtype)})" if is_upcast else text

    def accumulate(self, e: Reduce, values: Tiles) -> None:
        total = ", ".join(accumulators(e))
        text = self._monoid(e).pair.format(a=total, b=", ".join(values))
        self._w.line(f"{total} = {text}", e.origins)

    def begin(self, e: Reduce) -> None:
        """Declares accumulators of the tile's shape, which are reduced once after the loop."""
        for name, arg, identity in zip(
            accumulators(e), e.args, self._monoid(e).identities, strict=True
        ):
            kind = ops.tl_type(storage_dtype(self._kernel.dtype_of(arg)))
            self._w.line(f"{name} = tl.full({self._shape}, {identity}, {kind})", e.origins)

    # -- scans

    def scan(self, e: Scan) -> None:
        """Writes the scan of a row that is in one tile."""
        text = self._monoid(e).scan.format(x=", ".join(self._tiles(e, "")), axis=self._axis)
        self._running(e, text)

    def scan_on(self, e: Scan, mask: str) -> None:
        """Writes the scan of one tile in a loop over tiles, combined with the carry of the previous
        ones."""
        m, tiles = self._monoid(e), ", ".join(self._tiles(e, mask))
        # Of one row, too, a block of one: the interpreter cannot spread a scalar comparison.
        kept = f"{self._axis}, keep_dims=True"
        carries, parts, totals = (_suffixed(e, s) for s in ("carry", "part", "total"))
        self._w.line(f"{parts} = {m.scan.format(x=tiles, axis=self._axis)}", e.origins)
        self._running(e, m.pair.format(a=carries, b=parts))
        total = self._as_carried(e, m.tile.format(x=tiles, options=kept))
        self._w.line(f"{totals} = {total}", e.origins)
        self._w.line(f"{carries} = {m.pair.format(a=carries, b=totals)}", e.origins)

    def _as_carried(self, e: Scan, text: str) -> str:
        """A tile's total in the type of the carry: Triton widens one of narrow integers."""
        dtype = self._kernel.dtype_of(e.args[0])
        return text if len(e.args) > 1 or dtype is BOOL else self._row_value(e.args[0], text)

    def begin_scan(self, e: Scan, shape: str) -> None:
        """Declares the carry of a loop over tiles, in the shape of a row value."""
        for name, arg, identity in zip(e.names, e.args, self._monoid(e).identities, strict=True):
            kind = ops.tl_type(storage_dtype(self._kernel.dtype_of(arg)))
            self._w.line(f"{name}_carry = tl.full({shape}, {identity}, {kind})", e.origins)

    def _tiles(self, e: Scan, mask: str) -> Tiles:
        """The values that `e` combines, in one shape, with the identity where `mask` is false."""
        return tuple(
            self._masked(e, arg, self._spread(arg), mask, identity)
            for arg, identity in zip(e.args, self._monoid(e).identities, strict=True)
        )

    def _running(self, e: Scan, text: str) -> None:
        if len(e.names) == 1 and self._row_value(e.args[0], "") != "":
            text = self._row_value(e.args[0], f"({text})")
        self._w.line(f"{', '.join(map(self.name, e.names))} = {text}", e.origins)
        self._downcast(e)

    def _monoid(self, e: Reduce | Scan) -> Monoid:
        return monoid(e.monoid, tuple(self._kernel.dtype_of(a) for a in e.args))


def _suffixed(e: Scan, suffix: str) -> str:
    return ", ".join(f"{name}_{suffix}" for name in e.names)


def accumulators(e: Reduce) -> Tiles:
    """The tiles that hold the components of a reduction until its loop ends."""
    return tuple(f"{name}_tile" for name in e.names)
