"""Finding attention among a plan's steps: product, softmax, product.

    scores = queries @ keys       a Matmul, read by nobody else
    weights = softmax(f(scores))  a kernel, read by nobody else
    out = weights @ values        a Matmul

The kernels that compute their operands are included if nothing else reads these, and so is the only
kernel that reads the result. All are ordinary steps, so framework and layout do not matter.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod

from compiler_core.fuse import cost
from compiler_core.ir.sizes import Dim, Size, Undecided, is_proved
from compiler_core.ir.types import BF16, F16, F32
from compiler_core.kernel import inline
from compiler_core.kernel.access import Affine
from compiler_core.kernel.attention import (
    DEPTH,
    KEY,
    ROW,
    Attention,
    end,
    inputs_of,
    load,
    part,
    scaled,
    unscaled,
    yielded,
    yielding,
)
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import Axis, Kernel, Load
from compiler_core.kernel.softmax import NEEDED_ELSEWHERE, Softmax, last_key, refusal, softmax_of
from compiler_core.plan.attention import step as attention
from compiler_core.plan.attention.axes import Axes, NoAxes, Side, axes_of, crossing
from compiler_core.plan.neighbours import Neighbours
from compiler_core.plan.plan import Declined
from compiler_core.plan.steps import KernelStep, Matmul, Step


class _NoAttention(Exception):
    """Why some steps are not an attention; does not leave this file."""


# The most adds that an element of a key or a value may cost: it is computed for each tile of rows.
_COSTLY = 16
_DTYPES = (F32, F16, BF16)
_D = Affine(((DEPTH, 1),))
_KEY = Affine(((KEY, 1),))


def join(steps: Iterable[Step], outputs: Sequence[str]) -> tuple[list[Step], list[Declined]]:
    """The steps with each attention as one step, at the position of its last one; and near
    misses."""
    steps = list(steps)
    program = Neighbours(steps, outputs)
    found, taken = dict[str, attention.Attention](), set[str]()
    declined: list[Declined] = []
    for product in program.all_of(Matmul):
        between = _between(program, product)
        if between is None:
            continue
        try:
            result = _Joining(program, taken, *between, product).run()
        except (_NoAttention, Undecided) as no:
            declined.append(Declined(between[0], product, refusal(str(no))))
            continue
        found[result.steps[-1].name] = result
        taken |= {step.name for step in result.steps}
    kept = [found.get(s.name, s) for s in steps if s.name in found or s.name not in taken]
    return kept, declined


def _between(program: Neighbours, product: Matmul) -> tuple[Matmul, KernelStep] | None:
    """The first product and the softmax between it and `product`."""
    for b in product.inputs:
        weights = program.writer(b.name, KernelStep)
        if weights is None or not _is_near(weights.kernel):
            continue
        for source in weights.inputs:
            scores = program.writer(source.name, Matmul)
            if scores is not None:
                return scores, weights
    return None


def _is_near(kernel: Kernel) -> bool:
    """Whether a kernel contains the softmax of a row."""
    if not kernel.reduce:
        return False
    found = softmax_of(kernel)
    return isinstance(found, Softmax) or found.near


class _Joining:
    """Builds one attention, or raises _NoAttention. `taken` are steps that are part of another."""

    def __init__(
        self, program: Neighbours, taken: Collection[str],
        scores: Matmul, weights: KernelStep, product: Matmul,
    ) -> None:  # fmt: skip
        self.program, self.taken = program, taken
        self.scores, self.weights, self.product = scores, weights, product
        self.inside: dict[str, Step] = {s.name: s for s in (scores, weights, product)}
        self.makers = self._makers()

    def run(self) -> attention.Attention:
        softmax = self._softmax()
        at = axes_of(self.scores, self.weights.kernel, softmax.store, self.product)
        if isinstance(at, NoAxes):
            raise _NoAttention(at.reason)
        self.at = at = self._as_fine(at)
        scored = self._inlined(at.kernel)
        operands = {
            "q": self._operand("q", at.query, at.query.at(at.batch1, at.row1, _D), ROW),
            "k": self._operand("k", at.key, at.key.at(at.batch1, _KEY, _D), KEY),
            "v": self._operand("v", at.value, at.value.at(at.batch2, _D, _KEY), KEY),
        }
        downcast, scored = _in_storage_dtype(operands, scored, self.scores.out.name)
        query, key, value = (part(k, yielded(k), letter) for letter, k in downcast.items())
        score = part(scored, softmax.score, "s", self.scores.out.name)
        parts = (query, key, score, value, self._result())
        self._absorb(parts)
        whole = Attention(
            at.batch, at.along[0].extent, at.along[1].extent,
            _length(at.query.contracted), _length(at.value.free),
            query.kernel.dtype_of(query.value), *parts, softmax,
            last_key(score.kernel, score.value, ROW, KEY),
            self.scores.origins, self.product.origins,
        )  # fmt: skip
        apart = sorted(self.inside.values(), key=lambda s: self.program.order[s.name])
        name = f"{self.product.name.removesuffix('matmul')}attention"
        return attention.Attention(name, whole, self.scores, tuple(apart))

    def _as_fine(self, at: Axes) -> Axes:
        """Batch axes as fine as the kernels around walk them: heads, where these are moved."""
        for buffer, access in at.accesses().items():
            for bound in self._strides(buffer):
                for axis in at.batch:
                    parts = crossing(access, axis, bound)
                    if parts is not None:
                        return self._as_fine(at.cut(axis, *parts))
        return at

    def _strides(self, buffer: str) -> list[Dim]:
        """The steps in memory in which the maker of a buffer, or who reads the result, goes on."""
        if buffer:
            maker = self.makers.get(buffer)
            found = inline.store_of(maker.kernel, buffer) if maker else None
            return [s for _, s in found.access.terms] if found else []
        loads = (
            d.access
            for step in self.program.readers(self.product.out.name, KernelStep)
            for d in step.kernel.defs
            if isinstance(d, Load) and d.buffer == self.product.out.name
        )
        return [s for access in loads for _, s in access.terms]

    def _softmax(self) -> Softmax:
        found, only = softmax_of(self.weights.kernel), self.program.read_only_by
        if not isinstance(found, Softmax):
            raise _NoAttention(found.reason)
        if not only(self.scores.out.name, [self.weights.name]):
            raise _NoAttention("the scores are also returned or read by another step")
        if not only(found.store.buffer, [self.product.name]):
            raise _NoAttention(NEEDED_ELSEWHERE)
        if self.scores.dtype not in _DTYPES or self.product.dtype not in _DTYPES:
            raise _NoAttention(f"no generated attention of {self.scores.dtype}")
        sizes = (self.scores.batch, self.scores.m, self.scores.n, self.scores.k)
        if not is_proved(lambda: all(sizes)):
            raise _NoAttention("a size of the scores is 0, or may be")
        return found

    # -- the kernels before

    def _makers(self) -> dict[str, KernelStep]:
        """Elementwise kernels, by output buffer, that may be recomputed: nobody else needs their
        results, or they only move elements, or they read nothing."""
        program, found = self.program, dict[str, KernelStep]()
        waiting = list(self.inside.values())
        while waiting:
            for b in waiting.pop().inputs:
                maker = program.writer(b.name, KernelStep)
                if maker is None or maker.name in {*self.inside, *found, *self.taken}:
                    continue
                if inline.is_elementwise(maker.kernel):
                    found[maker.name] = maker
                    waiting.append(maker)
        own = self._closed(found)
        return {
            b.name: step
            for step in found.values()
            if step.name in own or not step.inputs or not _weight(step.kernel)
            for b in step.outputs
        }

    def _closed(self, steps: dict[str, KernelStep]) -> set[str]:
        """Those of `steps` whose results only these steps and the attention read."""
        names = set(steps)
        while True:
            kept = {
                n for n in names
                if all(self.program.read_only_by(b.name, names | set(self.inside))
                       for b in steps[n].outputs)
            }  # fmt: skip
            if kept == names:
                return kept
            names = kept

    def _inlined(self, kernel: Kernel, costly: int | None = None) -> Kernel:
        """`kernel` with the producers of its inputs inlined where that is possible."""
        for buffer in kernel.inputs:
            maker = self.makers.get(buffer.name)
            if maker is None or (costly is not None and _weight(maker.kernel) > costly):
                continue
            result = inline.inlined(kernel, buffer.name, maker.kernel)
            if result is not None:
                return self._inlined(result, costly)
        return kernel

    def _operand(self, letter: str, side: Side, access: Affine, own: str) -> Kernel:
        """A query (`own` its row), or a key or a value (`own` its key)."""
        (along,) = (a for a in self.at.along if a.name == own)
        step = self.product if letter == "v" else self.scores
        depth = Axis(DEPTH, side.free if letter == "v" else side.contracted, "parallel")
        kernel = load(letter, (*self.at.batch, along, depth), side.buffer, access, step.origins)
        return self._inlined(kernel, None if own == ROW else _COSTLY)

    # -- the kernel after

    def _result(self) -> Fragment:
        """What alone reads the result and goes on with each of its elements; else its store."""
        at, out = self.at, self.product.out
        depth = Axis(DEPTH, at.value.free, "parallel")
        axes = (*at.batch, at.along[0], depth)
        step = self.program.only_reader(out.name, KernelStep)
        if step is not None and step.name not in self.taken:
            moved = _after(step.kernel, out.name, at.result, axes)
            if moved is not None:
                self.inside[step.name] = step
                return end(moved, "o", out.name)
        given = replace(out, name=f"{out.name}_tile", role="in")
        loaded = Load("o0", out.type.dtype, given.name, at.result, self.product.origins)
        store = Store(out.name, at.result, "o0", self.product.origins)
        kernel = Kernel(
            "result", "elementwise", axes, (given, out), (loaded,), (Phase((store,)),),
            self.product.origins,
        )  # fmt: skip
        return end(kernel, "o", given.name)

    def _absorb(self, parts: Iterable[Fragment]) -> None:
        """Adds the producers whose results are not read any more."""
        read = {b.name for p in parts for b in inputs_of(p)}
        own = {s.name: s for s in self.makers.values()}
        own = {n: s for n, s in own.items() if not any(b.name in read for b in s.outputs)}
        self.inside |= {n: own[n] for n in self._closed(own)}


def _in_storage_dtype(
    operands: Mapping[str, Kernel], scored: Kernel, product: str
) -> tuple[Mapping[str, Kernel], Kernel]:
    """Operands that are 16-bit floats in memory as such, for the matrix units, where they are only
    upcast and scaled: the scores are then scaled instead, which is as exact."""
    found = {letter: unscaled(k, yielded(k)) for letter, k in operands.items()}
    kinds = {operands[letter].dtype_of(value) for letter, (value, *_) in found.items()}
    if len(kinds) > 1 or not kinds < {F16, BF16} or found["v"][2] != 1:
        return operands, scored
    (_, by_query, of_query), (_, by_key, of_key) = found["q"], found["k"]
    scored = scaled(scored, product, of_query * of_key, (*by_query, *by_key))
    return {x: yielding(operands[x], value) for x, (value, *_) in found.items()}, scored


def _after(kernel: Kernel, buffer: str, at: Affine, axes: tuple[Axis, ...]) -> Kernel | None:
    """`kernel`, which reads `buffer`, over `axes`, at whose point the element `at` is at hand."""
    loads = [d for d in kernel.defs if isinstance(d, Load) and d.buffer == buffer]
    if not inline.is_elementwise(kernel) or any(d.access != loads[0].access for d in loads):
        return None
    if any(d.mask for d in loads):
        return None
    extents = {a.name: a.extent for a in axes}
    moves = inline.places(loads[0].access, kernel.axes, at, extents)
    return None if moves is None else inline.over(kernel, axes, moves)


def _weight(kernel: Kernel) -> float:
    """The cost of an element, in units of one add."""
    return cost.arithmetic(kernel) / max(1, prod(a.hint for a in kernel.axes))


def _length(size: Dim) -> int:
    """Of a query, a key or a value."""
    if isinstance(size, Size):
        raise _NoAttention(
            f"rows of queries and values have the symbolic size {size}, not a number"
        )
    return size
