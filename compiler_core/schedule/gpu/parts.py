"""Splitting a long reduction with few parallel points into several kernels, so that the GPU is
full.

    sum over r:4194304                    one program would reduce it all
      -> partial[s] = sum over r:16384    for s:256 programs
      -> sum over r:256 of partial[r]

The parts are ordinary kernels: partial results go to scratch buffers and are combined in a fixed
order, so that the result is the same on every run (no atomics). What follows the last reduction,
such as the division of a softmax, is an elementwise kernel.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from compiler_core.ir.sizes import number
from compiler_core.ir.types import BF16, F16, F32, DType, TensorType, strides
from compiler_core.kernel.access import Affine
from compiler_core.kernel.canonicalize import canonicalize
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan, Store
from compiler_core.kernel.kernel import Axis, BufferParam, Def, Index, Kernel, Load, operands, roots
from compiler_core.schedule.gpu.tail_mask import TailMask


def in_parts(kernel: Kernel, axis: Axis, count: int) -> tuple[Kernel, ...]:
    """Kernels that together compute what `kernel` does, each reduction over `axis` in about `count`
    parts."""
    return tuple(canonicalize(k) for k in _Splitter(kernel, axis, count).run())


class _Splitter:
    def __init__(self, kernel: Kernel, axis: Axis, count: int) -> None:
        self.kernel, self.axis = kernel, axis
        # Parts that do not come out even get a power of two, so that blocks stay whole and aligned.
        extent = number(axis.extent)
        self.inner = extent // count
        if extent % count:
            self.inner = 1 << self.inner.bit_length()
        self.count = -(-extent // self.inner)
        self.part = Axis(f"i{len(kernel.parallel)}", self.count, "parallel")
        self.round = 0

    def run(self) -> list[Kernel]:
        pieces: list[Kernel] = []
        rest = self.kernel
        while rest.reductions:
            partial, finish, rest = self._round(rest)
            pieces += [partial, finish]
        return pieces + self._apply(rest)

    # -- one reduction

    def _round(self, kernel: Kernel) -> tuple[Kernel, Kernel, Kernel]:
        """The first reducing phase as a partial kernel, the kernel that combines its parts, and the
        rest."""
        self.round += 1
        number = next(i for i, s in enumerate(kernel.phases) if reduces(s))
        early = [e for s in kernel.phases[: number + 1] for e in s.effects]
        now = [e for e in early if kernel.is_tile_effect(e)]
        reductions = [e for e in now if isinstance(e, Reduce)]
        later = [Phase(tuple(e for e in early if e not in now)), *kernel.phases[number + 1 :]]
        partial = self._partial(kernel, now)
        rest = self._after(kernel, later, reductions)
        ready = [e for e in rest.effects if not (rest.is_tile_effect(e) or _waits(rest, e))]
        left = (Phase(tuple(e for e in s.effects if e not in ready)) for s in rest.phases)
        rest = replace(rest, phases=tuple(s for s in left if s.effects))
        return partial, self._finish(kernel, reductions, ready, rest), rest

    def _partial(self, kernel: Kernel, effects: Sequence[Effect]) -> Kernel:
        axes = (
            self.part,
            *(replace(a, extent=self.inner) if a == self.axis else a for a in kernel.axes),
        )
        tail = (
            TailMask(self.axis, self.inner, self.part)
            if number(self.axis.extent) % self.inner
            else None
        )
        defs = [self._spread(d) for d in kernel.defs]
        if tail:
            defs = tail.loads(defs)
        reduces: list[Reduce] = []
        stores: list[Store] = []
        scratch: list[BufferParam] = []
        for e in effects:
            if isinstance(e, Store):
                stores.append(replace(e, access=self._spread_access(e.access)))
                continue
            assert isinstance(e, Reduce)
            own = tuple(kernel.dtype_of(a) for a in e.args)
            args = tail.masked(defs, e, own) if tail else e.args
            part = replace(e, args=args, dtypes=partial_types(kernel, e))
            reduces.append(part)
            scratch += self._partials(part)
            stores += [
                Store(p.name, self._slot(), name, e.origins)
                for p, name in zip(self._partials(part), e.names, strict=True)
            ]
        first: tuple[Effect, ...] = (
            *reduces,
            *(s for s in stores if s.value not in {n for e in reduces for n in e.names}),
        )
        last: tuple[Effect, ...] = tuple(s for s in stores if s not in first)
        return piece(
            self._name("partial"), kernel, axes, defs, (Phase(first), Phase(last)), scratch
        )

    def _finish(
        self, kernel: Kernel, reductions: list[Reduce], ready: list[Effect], rest: Kernel
    ) -> Kernel:
        """Combines the parts, runs the effects that are then `ready`, and stores the results that
        the `rest` reads."""
        axes = (*kernel.parallel, Axis("r0", self.count, "reduce"))
        slot = Affine(tuple(("r0" if a == self.part.name else a, s) for a, s in self._slot().terms))
        defs: list[Def] = [d for d in kernel.defs if d.name not in kernel.tile_values]
        read = {d.name for d in rest.needed(roots(*rest.effects)) if isinstance(d, Load)}
        scratch, reduces, stores = list[BufferParam](), list[Reduce](), list[Effect]()
        for e in reductions:
            args = tuple(f"{name}_parts" for name in e.names)
            partials = self._partials(replace(e, dtypes=partial_types(kernel, e)))
            for arg, part in zip(args, partials, strict=True):
                defs.append(Load(arg, part.type.dtype, part.name, slot, e.origins))
                scratch.append(replace(part, role="in"))
            reduces.append(replace(e, args=args))
            for name, row in zip(e.names, self._rows(kernel, e), strict=True):
                if name in read:
                    stores.append(Store(row.name, self._row_slot(), name, e.origins))
                    scratch.append(row)
        phases = (Phase(tuple(reduces)), Phase((*stores, *ready)))
        return piece(self._name("finish"), kernel, axes, defs, phases, scratch)

    def _after(self, kernel: Kernel, phases: Sequence[Phase], reductions: list[Reduce]) -> Kernel:
        """The rest of the kernel: results of finished reductions are loaded."""
        loads = [
            Load(name, row.type.dtype, row.name, self._row_slot(), e.origins)
            for e in reductions
            for name, row in zip(e.names, self._rows(kernel, e), strict=True)
        ]
        rows = [replace(row, role="in") for e in reductions for row in self._rows(kernel, e)]
        phases = [s for s in phases if s.effects]
        return piece(kernel.name, kernel, kernel.axes, [*loads, *kernel.defs], phases, rows)

    def _apply(self, kernel: Kernel) -> list[Kernel]:
        """The rest without reductions, over all axes."""
        if not kernel.effects:
            return []
        axes = [replace(a, kind="parallel") for a in kernel.axes]
        access = next(e.access for e in kernel.stores)
        axes.sort(key=lambda a: -abs(access.stride(a.name)))
        return [piece(self._name("apply"), kernel, axes, kernel.defs, kernel.phases, ())]

    # -- scratch

    def _name(self, what: str) -> str:
        return f"{self.kernel.name}_{what}{self.round if self.round > 1 else ''}"

    def _partials(self, e: Reduce) -> list[BufferParam]:
        shape = (self.count, *(number(a.extent) for a in self.kernel.parallel))
        return self._scratch(e.names, e.dtypes, shape, "partial")

    def _rows(self, kernel: Kernel, e: Reduce) -> list[BufferParam]:
        shape = tuple(number(a.extent) for a in self.kernel.parallel)
        return self._scratch(e.names, partial_types(kernel, e), shape, "row")

    def _scratch(
        self, names: Sequence[str], dtypes: Sequence[DType], shape: tuple[int, ...], what: str
    ) -> list[BufferParam]:
        return [
            BufferParam(f"{self.kernel.name}_{name}_{what}", TensorType(dtype, shape), "out")
            for name, dtype in zip(names, dtypes, strict=True)
        ]

    def _row_slot(self) -> Affine:
        return dense(self.kernel.parallel)

    def _slot(self) -> Affine:
        return dense((self.part, *self.kernel.parallel))

    # -- the split axis

    def _spread_access(self, access: Affine) -> Affine:
        """Replaces r by inner * part + r."""
        return spread_access(access, self.axis, self.part, self.inner)

    def _spread(self, d: Def) -> Def:
        if isinstance(d, Load | Index):
            return replace(d, access=self._spread_access(d.access))
        return d


def _waits(kernel: Kernel, effect: Effect) -> bool:
    """Whether an effect reads the result of a reduction that the kernel still has to do."""
    needed = kernel.needed(roots(effect))
    read = {*roots(effect), *(a for d in needed for a in operands(d))}
    return not read.isdisjoint(kernel.reductions)


def spread_access(access: Affine, axis: Axis, part: Axis, inner: int) -> Affine:
    """`access` with `axis` replaced by `part` and a position among its `inner` elements: r becomes
    inner * part + r."""
    stride = access.stride(axis.name)
    if not stride:
        return access
    return replace(access, terms=((part.name, stride * inner), *access.terms))


def reduces(phase: Phase) -> bool:
    """Whether a reduction is among the phase's effects."""
    return any(isinstance(e, Reduce) for e in phase.effects)


def partial_types(kernel: Kernel, e: Reduce | Scan) -> tuple[DType, ...]:
    """Partial results of 16-bit floats are stored in f32, so that they are rounded once, at the
    end."""
    dtypes = (kernel.dtype_of(a) for a in e.args)
    return tuple(F32 if dtype in (F16, BF16) else dtype for dtype in dtypes)


def dense(axes: Sequence[Axis]) -> Affine:
    """The offset of a point of `axes` in a dense buffer of their shape."""
    steps = map(number, strides(tuple(a.extent for a in axes)))
    return Affine(tuple((a.name, s) for a, s in zip(axes, steps, strict=True)))


def piece(
    name: str,
    whole: Kernel,
    axes: Sequence[Axis],
    defs: Sequence[Def],
    phases: Sequence[Phase],
    scratch: Iterable[BufferParam],
) -> Kernel:
    """A part of `whole` with only the definitions and buffers that its phases need."""
    kind: Literal["elementwise"] = "elementwise"
    phases = tuple(s for s in phases if s.effects)
    known = {b.name: b for b in (*whole.buffers, *scratch)}
    draft = Kernel(name, kind, tuple(axes), (), tuple(defs), phases)
    needed = draft.needed(roots(*(e for s in phases for e in s.effects)))
    effects = [e for s in phases for e in s.effects]
    used = {d.buffer for d in needed if isinstance(d, Load)}
    used |= {e.buffer for e in effects if isinstance(e, Store)}
    origins = sorted({o for x in (*needed, *effects) for o in x.origins})
    return replace(
        draft,
        buffers=tuple(
            sorted((b for b in known.values() if b.name in used), key=lambda b: b.role == "out")
        ),
        defs=needed,
        origins=tuple(origins),
    )
