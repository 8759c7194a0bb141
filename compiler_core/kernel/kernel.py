"""The loop-level Kernel: one description of a fused loop nest that prints to C and to Triton.

    kernel ::= axes (parallel and reduce), buffers, definitions, phases
    def    ::= load | const | index | compute         one scalar value, single assignment
    access ::= affine in the axes and in values       a gather's index is a value like any other
    phase  ::= effect*                                one walk over the reduce axes
    effect ::= reduce(monoid, values) -> row values | scan(monoid, values, axis) -> tile values
             | store(buffer, access, value), that may combine with what is there (scatter)

Meaning. For every point of the parallel axes, the phases run in order. A phase whose effects
need a tile value (one that depends on a reduce axis) is a loop over all reduce axes; `reduce`
combines its values over that loop into row values, one for each component of its monoid, which
later phases may use. A phase of row values only has no loop. Definitions have no place of their
own: a printer emits, in each phase, the definitions that its effects need, and decides (the
schedule's `keep`) whether a tile value that two phases need is kept or computed again. A `scan`
leaves at each point what its values up to there combine to; only effects after it in its own
phase use that. Softmax over rows is three phases:

    parallel i:4096  reduce j:512
      v0 = load x[512*i + j]
      phase 0   m = reduce maximum v0
      v1 = subtract v0 m;  v2 = exponential v1
      phase 1   s = reduce add v2
      v3 = divide v2 s
      phase 2   store y[512*i + j] = v3

What is not here: block sizes, threads, vector widths. They are a schedule's (schedule/cpu.py,
schedule/gpu.py), so that the two printers cannot drift apart in what is computed, only in
how it is walked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from compiler_core.ir import sizes
from compiler_core.ir.sizes import Dim, Symbol
from compiler_core.ir.types import DType, TensorType
from compiler_core.kernel.access import Affine

Scalar = float | int | bool


@dataclass(frozen=True, slots=True)
class Axis:
    """A loop. `name` is "i0", "i1", ... (parallel) or "r0", "r1", ... (reduce). A symbolic extent
    is known when the kernel is called; estimates use `hint`."""

    name: str
    extent: Dim
    kind: Literal["parallel", "reduce"]

    @property
    def hint(self) -> int:
        """The extent in the captured call."""
        return sizes.hint(self.extent)


@dataclass(frozen=True, slots=True)
class BufferParam:
    """A buffer that the kernel reads ("in"), writes ("out") or updates ("inout"), dense and
    row-major; `name` is a C identifier."""

    name: str
    type: TensorType
    role: Literal["in", "out", "inout"]


@dataclass(frozen=True, slots=True)
class Load:
    """buffer[access]; where `mask` (a bool value) is false, the value is `other` and memory is not
    accessed."""

    name: str
    dtype: DType
    buffer: str
    access: Affine
    origins: tuple[int, ...] = ()
    mask: str | None = None
    other: Scalar = 0


@dataclass(frozen=True, slots=True)
class Const:
    """A literal."""

    name: str
    dtype: DType
    value: Scalar
    origins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Index:
    """The value of an index expression, for an iota or a mask."""

    name: str
    dtype: DType
    access: Affine
    origins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Compute:
    """An elementwise operation of ir/ops/ on scalars. `dtype` is the result's; the operands' types
    are those of their definitions. `direction` is that of a compare."""

    name: str
    dtype: DType
    op: str
    args: tuple[str, ...]
    origins: tuple[int, ...] = ()
    direction: str = ""


Def = Load | Const | Index | Compute


@dataclass(frozen=True, slots=True)
class Reduce:
    """Combines `args` over the reduce axes with `monoid` (a row of ir/monoids.py) into the row
    values `names` of `dtypes`, one for each component. f16 and bf16 are accumulated in f32 and may
    stay so until stored. maximum and minimum propagate NaN, as in torch and XLA."""

    names: tuple[str, ...]
    dtypes: tuple[DType, ...]
    monoid: str
    args: tuple[str, ...]
    origins: tuple[int, ...] = ()


# How a store joins what is in memory with its value.
Mode = Literal["set", "add", "multiply", "maximum", "minimum"]


@dataclass(frozen=True, slots=True)
class Scan:
    """An inclusive scan along `axis`, the kernel's only reduce axis: at each point, the tile values
    `names` are `args` combined with those of all points before it. Accumulated as by Reduce."""

    names: tuple[str, ...]
    dtypes: tuple[DType, ...]
    monoid: str
    args: tuple[str, ...]
    axis: str
    origins: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Store:
    """buffer[access] = value, or the buffer's element combined with it; nothing where `mask` is
    false. Different points of the axes write different elements, unless the access has computed
    terms: then all updates of an element are combined, and of several that `set` it any one
    wins."""

    buffer: str
    access: Affine
    value: str
    origins: tuple[int, ...] = ()
    mask: str | None = None
    mode: Mode = "set"


Effect = Reduce | Scan | Store


@dataclass(frozen=True, slots=True)
class Phase:
    """One walk over the reduce axes, or none if its effects need only row values."""

    effects: tuple[Effect, ...]


# elementwise: no reduce axis; row: the reduce axes are the contiguous ones; column: a parallel
# axis is; full: no parallel axis. Which one it is follows from the accesses (see `kind_of`).
KernelKind = Literal["elementwise", "row", "column", "full"]


@dataclass(frozen=True)
class Kernel:
    name: str
    kind: KernelKind
    axes: tuple[Axis, ...]
    buffers: tuple[BufferParam, ...]
    defs: tuple[Def, ...]  # operands first
    phases: tuple[Phase, ...]
    origins: tuple[int, ...] = ()

    @cached_property
    def definitions(self) -> Mapping[str, Def]:
        return {d.name: d for d in self.defs}

    @cached_property
    def reductions(self) -> Mapping[str, Reduce]:
        """The reduction that defines each row value."""
        effects = (e for s in self.phases for e in s.effects if isinstance(e, Reduce))
        return {name: e for e in effects for name in e.names}

    @cached_property
    def scans(self) -> Mapping[str, Scan]:
        """The scan that defines each running value."""
        effects = (e for s in self.phases for e in s.effects if isinstance(e, Scan))
        return {name: e for e in effects for name in e.names}

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return tuple(b for b in self.buffers if b.role == "in")

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return tuple(b for b in self.buffers if b.role != "in")

    @cached_property
    def scattered(self) -> tuple[Store, ...]:
        """Stores with computed places, or that combine: two points may hit one element."""
        stores = (e for p in self.phases for e in p.effects if isinstance(e, Store))
        return tuple(e for e in stores if e.access.indirect or e.mode != "set")

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbolic sizes that are arguments of the kernel, by name."""
        accesses = [x.access for x in self.defs if isinstance(x, Load | Index)]
        accesses += [e.access for p in self.phases for e in p.effects if isinstance(e, Store)]
        dims = [a.extent for a in self.axes]
        for access in accesses:
            dims += [access.offset, *(s for _, s in access.terms)]
            dims += [x.stride for x in access.indirect]
        return tuple(sorted({s for dim in dims for s in sizes.symbols(dim)}))

    @property
    def parallel(self) -> tuple[Axis, ...]:
        return tuple(a for a in self.axes if a.kind == "parallel")

    @property
    def reduce(self) -> tuple[Axis, ...]:
        return tuple(a for a in self.axes if a.kind == "reduce")

    @cached_property
    def tile_values(self) -> frozenset[str]:
        """Names of the definitions that depend on a reduce axis."""
        return self.varying(a.name for a in self.reduce)

    def varying(self, axes: Iterable[str]) -> frozenset[str]:
        """Names of the definitions that depend on one of `axes`."""
        moving = frozenset(axes)
        # A scan depends on its axis, and may on every other.
        found = set(self.scans) if moving else set[str]()
        for d in self.defs:
            moves = isinstance(d, Load | Index) and any(a in moving for a, _ in d.access.terms)
            if moves or any(a in found for a in operands(d)):
                found.add(d.name)
        return frozenset(found)

    def is_tile_effect(self, effect: Effect) -> bool:
        """Whether the effect is inside the loop over the reduce axes."""
        if isinstance(effect, Reduce | Scan):
            return True
        axes = {a.name for a in self.reduce}
        read = self.tile_values.intersection(roots(effect))
        return bool(read) or any(a in axes for a, _ in effect.access.terms)

    @property
    def passes(self) -> int:
        """The phases that are loops over the reduce axes."""
        return sum(any(self.is_tile_effect(e) for e in p.effects) for p in self.phases)

    def needed(self, roots: Iterable[str], known: Iterable[str] = ()) -> tuple[Def, ...]:
        """The definitions that `roots` depend on, operands first, stopping at values that effects
        define and at `known`."""
        stop, found = set(known), set[str]()
        stack = list(roots)
        while stack:
            name = stack.pop()
            if name in found or name in stop or name in self.reductions or name in self.scans:
                continue
            found.add(name)
            stack.extend(operands(self.definitions[name]))
        return tuple(d for d in self.defs if d.name in found)

    def dtype_of(self, name: str) -> DType:
        effect = self.reductions.get(name) or self.scans.get(name)
        if effect is not None:
            return effect.dtypes[effect.names.index(name)]
        return self.definitions[name].dtype


def operands(d: Def) -> tuple[str, ...]:
    """The values that a definition reads, those of its index and mask included."""
    match d:
        case Compute():
            return d.args
        case Index():
            return d.access.values
        case Load():
            return d.access.values if d.mask is None else (*d.access.values, d.mask)
    return ()


def roots(*effects: Effect) -> tuple[str, ...]:
    """The values that effects read."""
    return tuple(v for e in effects for v in _read(e))


def _read(e: Effect) -> tuple[str, ...]:
    if isinstance(e, Store):
        return (e.value, *e.access.values, *((e.mask,) if e.mask else ()))
    return e.args
