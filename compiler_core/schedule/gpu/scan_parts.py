"""Splitting the scan of a long row with few rows into three kernels, so that the GPU is full.

    scan over r:1048576                    one program would scan it all
      -> total[s] = reduce over r:4096     for s:256 programs
      -> before[s] = scan over s           of one short row
      -> scan over r:4096, each running value combined with before[s - 1]

The parts are combined in the row's order, so that every run gives the same result.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from compiler_core.ir.combination import combination
from compiler_core.ir.graph import Operation
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import number
from compiler_core.ir.types import BOOL, I32, DType, TensorType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import canonicalize
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan, Store
from compiler_core.kernel.kernel import (
    Axis,
    BufferParam,
    Compute,
    Const,
    Def,
    Index,
    Kernel,
    Load,
    operands,
)
from compiler_core.schedule.gpu.parts import dense, partial_types, piece, spread_access


def is_one_scan(kernel: Kernel) -> bool:
    """Whether the kernel consists of scans and stores only, and no scan reads another."""
    if len(kernel.phases) != 1 or kernel.reductions or len(kernel.reduce) != 1:
        return False
    scanned = set(kernel.scans)
    read = {a for e in kernel.scans.values() for a in e.args}
    read |= {a for d in kernel.needed(read) for a in operands(d)}
    return bool(scanned) and not scanned & read


def scanned_in_parts(kernel: Kernel, count: int) -> tuple[Kernel, ...]:
    """The three kernels, over `count` parts, which must divide the row."""
    return tuple(canonicalize(k) for k in _Parts(kernel, count).run())


class _Parts:
    def __init__(self, kernel: Kernel, count: int) -> None:
        self.kernel, self.count = kernel, count
        (self.axis,) = kernel.reduce
        self.inner = number(self.axis.extent) // count
        self.part = Axis(f"i{len(kernel.parallel)}", count, "parallel")
        self.scans = list(dict.fromkeys(kernel.scans.values()))
        self.slot = dense((self.part, *kernel.parallel))

    def run(self) -> list[Kernel]:
        return [self._totals(), self._before(), self._within()]

    def _totals(self) -> Kernel:
        reduces = [
            Reduce(e.names, partial_types(self.kernel, e), e.monoid, e.args, e.origins)
            for e in self.scans
        ]
        stores = [s for e in self.scans for s in self._stores(e, e.names, "total", self.slot)]
        phases = (Phase(tuple(reduces)), Phase(tuple(stores)))
        return self._piece("totals", self._axes(), self._defs(), phases, self._scratch("total"))

    def _before(self) -> Kernel:
        """Of each part, with all before it."""
        axes = (*self.kernel.parallel, Axis("r0", self.count, "reduce"))
        slot = Affine(tuple(("r0" if a == self.part.name else a, s) for a, s in self.slot.terms))
        defs: list[Def] = []
        effects: list[Effect] = []
        for e in self.scans:
            args = tuple(f"{name}_part" for name in e.names)
            types = partial_types(self.kernel, e)
            for arg, dtype, b in zip(args, types, self._buffers(e, "total"), strict=True):
                defs.append(Load(arg, dtype, b.name, slot, e.origins))
            effects.append(Scan(e.names, types, e.monoid, args, "r0", e.origins))
            effects += self._stores(e, e.names, "before", slot)
        scratch = [*self._read("total"), *self._scratch("before")]
        return self._piece("before", axes, defs, (Phase(tuple(effects)),), scratch)

    def _within(self) -> Kernel:
        step = dict(self.slot.terms).get(self.part.name, 0)
        last = replace(self.slot, offset=self.slot.offset - step)
        defs: list[Def] = [
            Index("part", I32, Affine(((self.part.name, 1),))),
            Const("no_part", I32, 0),
            Compute("follows", BOOL, "compare", ("part", "no_part"), direction="GT"),
        ]
        effects: list[Effect] = []
        after: list[Def] = []
        for e in self.scans:
            types = partial_types(self.kernel, e)
            identities = MONOIDS[e.monoid].identity(types[0])
            given = zip(e.names, types, self._buffers(e, "before"), identities, strict=True)
            defs += [
                Load(f"{name}_before", dtype, b.name, last, e.origins, "follows", identity)
                for name, dtype, b, identity in given
            ]
            if len(e.names) > 1:
                after += _spread(e, types, self.axis)
            here = tuple(f"{name}_here" for name in e.names)
            effects.append(replace(e, names=here, dtypes=types))
            after += self._combined(e, types)
        stores = [
            replace(e, access=spread_access(e.access, self.axis, self.part, self.inner))
            for e in self.kernel.phases[0].effects
            if isinstance(e, Store)
        ]
        own, using = self._defs(), set(self.kernel.scans)
        for d in own:
            if using.intersection(operands(d)):
                using.add(d.name)
        first = [d for d in own if d.name not in using]
        return self._piece(
            "within", self._axes(), [*defs, *first, *after, *(d for d in own if d.name in using)],
            (Phase((*effects, *stores)),), self._read("before"),
        )  # fmt: skip

    def _combined(self, e: Scan, types: tuple[DType, ...]) -> Iterator[Def]:
        """What came before with what the scan leaves in its part, under the scan's own names."""
        region = combination(e.monoid, types)
        before = "before" if len(e.names) == 1 else "spread"
        sides = [f"{name}_{side}" for side in (before, "here") for name in e.names]
        named = {value.id: name for value, name in zip(region.inputs, sides, strict=True)}
        for operation in region.operations:
            named[operation.id] = f"{e.names[0]}_{operation.id - region.operations[0].id}_both"
            yield _definition(operation, named, e.origins)
        for name, dtype, value in zip(e.names, e.dtypes, region.outputs, strict=True):
            yield Compute(name, dtype, "convert", (named[value.id],), e.origins)

    # -- pieces

    def _axes(self) -> tuple[Axis, ...]:
        inner = replace(self.axis, extent=self.inner)
        return (self.part, *(inner if a == self.axis else a for a in self.kernel.axes))

    def _defs(self) -> list[Def]:
        return [
            replace(d, access=spread_access(d.access, self.axis, self.part, self.inner))
            if isinstance(d, Load | Index)
            else d
            for d in self.kernel.defs
        ]

    def _piece(
        self, name: str, axes: Sequence[Axis], defs: Sequence[Def], phases: Sequence[Phase],
        scratch: Sequence[BufferParam],
    ) -> Kernel:  # fmt: skip
        return piece(f"{self.kernel.name}_{name}", self.kernel, axes, defs, phases, scratch)

    # -- scratch

    def _buffers(self, e: Scan, what: str) -> list[BufferParam]:
        shape = (self.count, *(number(a.extent) for a in self.kernel.parallel))
        return [
            BufferParam(f"{self.kernel.name}_{name}_{what}", TensorType(dtype, shape), "out")
            for name, dtype in zip(e.names, partial_types(self.kernel, e), strict=True)
        ]

    def _scratch(self, what: str) -> list[BufferParam]:
        return [b for e in self.scans for b in self._buffers(e, what)]

    def _read(self, what: str) -> list[BufferParam]:
        return [replace(b, role="in") for b in self._scratch(what)]

    def _stores(self, e: Scan, names: Sequence[str], what: str, slot: Affine) -> list[Store]:
        pairs = zip(self._buffers(e, what), names, strict=True)
        return [Store(b.name, slot, name, e.origins) for b, name in pairs]


def _spread(e: Scan, types: Sequence[DType], axis: Axis) -> Iterator[Def]:
    """The value before a part, at each point of the part: Triton's interpreter computes bools only
    for tiles."""
    at, zero, every = (f"{e.names[0]}_{word}" for word in ("at", "first", "every"))
    yield Index(at, I32, Affine(((axis.name, 1),)))
    yield Const(zero, I32, 0)
    yield Compute(every, BOOL, "compare", (at, zero), e.origins, "GE")
    for name, dtype in zip(e.names, types, strict=True):
        before = f"{name}_before"
        yield Compute(f"{name}_spread", dtype, "select", (every, before, before), e.origins)


def _definition(operation: Operation, named: dict[int, str], origins: tuple[int, ...]) -> Def:
    """A scalar operation of a combination as a definition of a kernel."""
    name, dtype = named[operation.id], operation.types[0].dtype
    if operation.op == "constant":
        return Const(name, dtype, operation["value"])
    args = tuple(named[x.id] for x in operation.operands)
    direction = operation["direction"] if operation.op == "compare" else ""
    return Compute(name, dtype, operation.op, args, origins, direction)
