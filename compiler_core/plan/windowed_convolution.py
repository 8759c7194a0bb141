"""A convolution as an ordinary reduction over its windows, with the kernel that follows it.

    parallel b, g, o, *y   reduce c, *k
      sum over c, *k of x[b, g*C + c, *(y * stride + k * dilation - low)] * w[g*O + o, c, *k]

The positions within a window, and the channels of a group, are reduce axes; elements outside of the
image are masked. For a group with few features no tile of a product would be full.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from compiler_core.ir.convolution import inverse
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import BF16, F16, F32, DType
from compiler_core.kernel import affine, inline, windows
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import Index
from compiler_core.kernel.canonicalize import canonicalize
from compiler_core.kernel.definitions import Definitions
from compiler_core.kernel.effects import Phase, Reduce, Store
from compiler_core.kernel.fragment import NoFragment
from compiler_core.kernel.kernel import Axis, Compute, Kernel, Load
from compiler_core.plan.convolution import ConvolutionStep, Operand
from compiler_core.plan.fused_convolution import FusedConvolution


def of_windows(
    step: ConvolutionStep | FusedConvolution, *, skipping: bool = False
) -> Kernel | NoFragment:
    """The kernel of the convolution and of the kernel fused to it, named as the step; or why the
    latter stays separate. `skipping`: positions outside of the image are left out of the sum, which
    shortens loops in C; otherwise zeros are multiplied there, which a mask makes free. The results
    differ only where weights are infinite or NaN. Raises Undecided if that depends on the value of
    a symbol."""
    alone = _Windows(step.conv, skipping).kernel()
    if step.end is None:
        return canonicalize(alone)
    ended = _ended(alone, step.end.kernel, step.conv)
    return ended if isinstance(ended, NoFragment) else replace(ended, name=step.name)


# The fewest features of a tile (those of tl.dot on a GPU).
_LEAST_FEATURES = 16


def is_thin(step: ConvolutionStep) -> bool:
    """Whether a group has so few features that tiles of them would be mostly empty."""
    v = step.sizes
    thin = v.is_depthwise or (v.groups > 1 and v.features < _LEAST_FEATURES)
    return thin and step.dtype.is_float and step.flops() > 0


# -- the convolution


@dataclass(frozen=True)
class _Place:
    """A point of the loops: indices along the batch, the groups, a group's features and channels,
    the result's places and the window's."""

    batch: Affine
    group: Affine
    feature: Affine
    channel: Affine
    out: Index
    window: Index


class _Windows(Definitions):
    def __init__(self, step: ConvolutionStep, skipping: bool) -> None:
        super().__init__()
        self.step, self.skipping, self.extents = step, skipping, {}
        self.axes: list[Axis] = []

    def kernel(self) -> Kernel:
        step, at = self.step, self._loops()
        term, dtype = self._term(at), _accumulated(step.dtype)
        total = self.new_name(1)
        reduce = Reduce((total,), (dtype,), "add", (term,), step.origins)
        value = self._converted(total, dtype, step.dtype)
        out = Store(step.out.name, self._stored(at), value, step.origins)
        read = {b.name: replace(b, role="in") for b in step.inputs}
        return Kernel(
            step.name, "column", tuple(self.axes), (*read.values(), step.out), tuple(self.defs),
            (Phase((reduce,)), Phase((out,))), step.origins,
        )  # fmt: skip

    def _loops(self) -> _Place:
        """Parallel axes in the order of the result's memory, then those of the sum."""
        v, found = self.step.sizes, dict[int, Affine]()
        group = feature = affine.ZERO
        for d in inverse(v.out_dims):
            if d == 1:
                group = self._axis(v.groups, "parallel")
                feature = self._axis(v.features, "parallel")
            else:
                found[d] = self._axis(v.batch if d == 0 else v.out[d - 2], "parallel")
        channel = self._axis(v.channels, "reduce")
        window = tuple(self._axis(size, "reduce") for size in v.window)
        out = tuple(found[d + 2] for d in range(v.rank))
        return _Place(found[0], group, feature, channel, out, window)

    def _axis(self, extent: Dim, kind: str) -> Affine:
        if extent == 1:
            return affine.ZERO
        axis = Axis(f"{kind}{len(self.axes)}", extent, "reduce" if kind == "reduce" else "parallel")
        self.axes.append(axis)
        self.extents = {**self.extents, axis.name: extent}
        return Affine(((axis.name, 1),))

    def _stored(self, at: _Place) -> Affine:
        v = self.step.sizes
        index = (at.batch, _of_two(at.group, v.features, at.feature), *at.out)
        return affine.linear(tuple(index[d] for d in inverse(v.out_dims)), self.step.out.type.shape)

    def _term(self, at: _Place) -> str:
        """The product of an element of the image and one of the kernel, 0 outside."""
        v, inside = self.step.sizes, None
        image = [at.batch, _of_two(at.group, v.channels, at.channel)]
        for d in range(v.rank):
            place, holds = self._in_image(at, d)
            image.append(place)
            inside = self.both(self.step, inside, holds)
        kernel = [_of_two(at.group, v.features, at.feature), at.channel]
        turned = zip(at.window, v.window, v.reversal, strict=True)
        kernel += [_reversed(k, size) if back else k for k, size, back in turned]
        dtype = _accumulated(self.step.dtype)
        with self.under(self.step, inside):
            left = self._load(self.step.lhs, image)
        product = self.compute(
            self.step, dtype, "multiply", (left, self._load(self.step.rhs, kernel))
        )
        if inside is None or not self.skipping:
            return product
        none = self.constant(dtype, 0.0)
        return self.compute(self.step, dtype, "select", (inside, product, none))

    def _in_image(self, at: _Place, d: int) -> tuple[Affine, str | None]:
        """The index along spatial dimension `d` of the image, and whether there is an element."""
        v = self.step.sizes
        steps = windows.Steps(v.strides[d], v.rhs_dilation[d], v.low[d], v.lhs_dilation[d])
        return windows.along(self, self.step, (at.out[d], at.window[d]), steps, v.size[d])

    def _load(self, x: Operand, index: Sequence[Affine]) -> str:
        access = Affine((), x.offset)
        for part, stride in zip(index, x.strides, strict=True):
            access = affine.add(access, affine.scale(part, stride))
        key = ("load", x.buffer.name, access, self.mask)
        dtype, mask, by = self.step.dtype, self.mask, self.step.origins
        loaded = self.once(
            key, lambda n: Load(n, dtype, x.buffer.name, access, by, mask), *access.values
        )
        return self._converted(loaded, dtype, _accumulated(dtype))

    def _converted(self, value: str, dtype: DType, wanted: DType) -> str:
        return value if dtype is wanted else self.compute(self.step, wanted, "convert", (value,))


def _of_two(outer: Affine, size: Dim, inner: Affine) -> Affine:
    return affine.add(affine.scale(outer, size), inner)


def _reversed(part: Affine, size: int) -> Affine:
    return affine.add(affine.scale(part, -1), Affine((), size - 1))


def _accumulated(dtype: DType) -> DType:
    return F32 if dtype in (F16, BF16) else dtype


# -- with what follows it


def _ended(alone: Kernel, end: Kernel, conv: ConvolutionStep) -> Kernel | NoFragment:
    """`end` at each point of the convolution, in place of its reads of the result."""
    if not inline.is_elementwise(end):
        return NoFragment(
            "the epilogue reduces over the result, of which a point of the loop has one element"
        )
    (result,) = alone.stores
    reads = [d for d in end.defs if isinstance(d, Load) and d.buffer == result.buffer]
    if len({d.access for d in reads}) > 1 or any(d.mask for d in reads):
        return NoFragment("the epilogue reads other elements of the result than those it computes")
    extents = {a.name: a.extent for a in alone.axes}
    moves = inline.places(reads[0].access, end.axes, result.access, extents)
    if moves is None:
        return NoFragment("the epilogue's loop does not follow the result of the convolution")
    end = inline.over(end, alone.axes, moves)
    end, names = inline.numbered(end, "e")
    product = {names[d.name] for d in reads}
    after = tuple(
        Compute(d.name, d.dtype, "convert", (result.value,), conv.origins)
        if d.name in product
        else d
        for d in end.defs
    )
    read = {b.name: b for b in (*alone.inputs, *end.inputs) if b.name != result.buffer}
    return canonicalize(
        replace(
            alone,
            buffers=(*read.values(), *end.outputs),
            defs=(*alone.defs, *after),
            phases=(alone.phases[0], *end.phases),
            origins=tuple(sorted({*alone.origins, *end.origins})),
        )
    )
