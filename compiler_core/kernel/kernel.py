"""The loop-level Kernel: one description of a fused loop nest that prints to C and to Triton.

    kernel ::= axes (parallel and reduce), buffers, definitions, phases
    def    ::= load | const | index | compute         one scalar value, single assignment
    access ::= affine in the axes and in values       a gather's index is a value like any other
    phase  ::= effect*                                one pass over the reduce axes
    effect ::= reduce(monoid, values) -> row values | scan(monoid, values, axis) -> tile values
             | store(buffer, access, value), that may combine with what is there (scatter)

Meaning. The phases run in order at every point of the parallel axes. A phase whose effects need a
tile value (one that depends on a reduce axis) loops over all reduce axes, others have no loop.
`reduce` combines its values over that loop into row values, one for each component of its monoid,
for later phases; `scan` leaves at each point what the values up to there combine to, for later
effects of its own phase. A definition has no place of its own: a printer emits it in each phase
that needs it; the schedule's `keep` says which tile values of two phases are kept. Softmax of rows:

    parallel i:4096  reduce j:512
      v0 = load x[512*i + j]
      phase 0   m = reduce maximum v0
      v1 = subtract v0 m;  v2 = exponential v1
      phase 1   s = reduce add v2
      v3 = divide v2 s
      phase 2   store y[512*i + j] = v3

Block sizes, threads and vector widths are a schedule's: the printers can differ in nothing else.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from compiler_core.ir.monoids import Scalar
from compiler_core.ir.sizes import Dim, Symbol, hint, symbols
from compiler_core.ir.types import DType, TensorType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan, Store


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
        return hint(self.extent)


@dataclass(frozen=True, slots=True)
class BufferParam:
    """A dense, row-major buffer that the kernel reads ("in"), writes ("out") or updates ("inout");
    `name` is a C identifier. `over` names the input in whose memory this output lies, "" for none:
    each point of the kernel reads only its own element of that input, before it writes it
    (plan/in_place.py)."""

    name: str
    type: TensorType
    role: Literal["in", "out", "inout"]
    over: str = ""


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


# elementwise: no reduce axis; row: the reduce axes are the contiguous ones; column: a parallel
# axis is; full: no parallel axis. Which one it is follows from the accesses (see `kind_of`).
KernelKind = Literal["elementwise", "row", "column", "full"]


@dataclass(frozen=True)
class Kernel:
    """One loop nest, with no block sizes and no threads: what is computed, not how.

    `axes` are its loops, parallel ones first. `defs` are scalar values at a point of the loops, in
    single assignment. `phases` run one after the other over the reduce axes; the effects of each
    store, reduce or scan values, and what one phase reduced a later one may read. `buffers` are
    the arguments. Memory is accessed through affine indices, with values among their terms for
    gathers and scatters.
    """

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
    def effects(self) -> tuple[Effect, ...]:
        """The effects of all phases, in order."""
        return tuple(e for phase in self.phases for e in phase.effects)

    @cached_property
    def stores(self) -> tuple[Store, ...]:
        return tuple(e for e in self.effects if isinstance(e, Store))

    @cached_property
    def reductions(self) -> Mapping[str, Reduce]:
        """The reduction that defines each row value."""
        return {name: e for e in self.effects if isinstance(e, Reduce) for name in e.names}

    @cached_property
    def scans(self) -> Mapping[str, Scan]:
        """The scan that defines each running value."""
        return {name: e for e in self.effects if isinstance(e, Scan) for name in e.names}

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return tuple(b for b in self.buffers if b.role == "in")

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return tuple(b for b in self.buffers if b.role != "in")

    @cached_property
    def scattered(self) -> tuple[Store, ...]:
        """Stores with computed places, or that combine: two points may hit one element."""
        return tuple(e for e in self.stores if e.access.indirect or e.mode != "set")

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbolic sizes that are arguments of the kernel, by name."""
        indexed = (x for x in self.defs if isinstance(x, Load | Index))
        dims = [dim for x in (*indexed, *self.stores) for dim in x.access.dims]
        dims += [a.extent for a in self.axes]
        return tuple(sorted({s for dim in dims for s in symbols(dim)}))

    @cached_property
    def parallel(self) -> tuple[Axis, ...]:
        return tuple(a for a in self.axes if a.kind == "parallel")

    @cached_property
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

    @cached_property
    def fixed(self) -> tuple[Def, ...]:
        """The loop-invariant definitions, operands first: they depend on no axis and on no
        effect."""
        moving = self.varying(axis.name for axis in self.axes)
        changing = {*moving, *self.reductions, *self.scans}
        for d in self.defs:
            if not changing.isdisjoint(operands(d)):
                changing.add(d.name)
        return tuple(d for d in self.defs if d.name not in changing)

    def is_tile_effect(self, effect: Effect) -> bool:
        """Whether the effect is inside the loop over the reduce axes."""
        if isinstance(effect, Reduce | Scan):
            return True
        axes = {a.name for a in self.reduce}
        read = self.tile_values.intersection(roots(effect))
        return bool(read) or any(a in axes for a, _ in effect.access.terms)

    @cached_property
    def passes(self) -> int:
        """The phases that are loops over the reduce axes."""
        return sum(any(self.is_tile_effect(e) for e in p.effects) for p in self.phases)

    def needed(self, roots: Iterable[str], known: Iterable[str] = ()) -> tuple[Def, ...]:
        """The definitions that `roots` depend on, operands first, stopping at values that effects
        define and at `known`."""
        stop, found = {*known, *self.reductions, *self.scans}, set[str]()
        stack = list(roots)
        while stack:
            name = stack.pop()
            if name not in found and name not in stop:
                found.add(name)
                stack.extend(operands(self.definitions[name]))
        return tuple(d for d in self.defs if d.name in found)

    def dtype_of(self, name: str) -> DType:
        effect = self.reductions.get(name) or self.scans.get(name)
        if effect is not None:
            return effect.dtypes[effect.names.index(name)]
        return self.definitions[name].dtype


def operands(x: Def | Effect) -> tuple[str, ...]:
    """The values that a definition or an effect reads, those of its index and mask included."""
    match x:
        case Compute() | Reduce() | Scan():
            return x.args
        case Index():
            return x.access.values
        case Load():
            return x.access.values if x.mask is None else (*x.access.values, x.mask)
        case Store():
            return (x.value, *x.access.values, *((x.mask,) if x.mask else ()))
    return ()


def roots(*effects: Effect) -> tuple[str, ...]:
    """The values that effects read."""
    return tuple(v for e in effects for v in operands(e))
