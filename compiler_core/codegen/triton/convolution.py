"""A convolution as Triton: an implicit GEMM. It is printed as a matrix product whose left operand,
the image's patches (im2col), is computed as addresses and is never in memory.

    result[place, feature] = sum over terms of patch[place, term] * kernel[term, feature]

    place    a position of the output's spatial dimensions, for channels-last also one image of the
             batch
    term     an input channel of the group and a position of the window; there are channels *
             window of them
    outer    which matrix of a batch it is: the group and, for channels-first, the image

Where the result has its features before its places (channels-first), rows and columns are
exchanged: result[feature, place] = kernel[feature, term] * patch[term, place].

Each program computes a [BLOCK_M, BLOCK_N] tile of one result in steps of BLOCK_K terms, accumulated
in f32. A patch's element is 0 where the window reaches into the padding, or falls between the
elements of an image with lhs_dilation. The fragment that follows the convolution is computed on
the tile.

Names in the generated text: y0, y1, ... are the coordinates of a place, k0, k1, ... those of a term
within the window, x0, x1, ... those of the element of the image.
"""

from collections.abc import Mapping
from math import prod

from compiler_core.codegen.triton.module import TritonSource
from compiler_core.codegen.triton.template import emitted
from compiler_core.codegen.triton.tile import (
    column_mask,
    fragment_on_tile,
    mask_argument,
    row_mask,
    tile,
)
from compiler_core.codegen.writer import Writer
from compiler_core.ir import sizes
from compiler_core.ir.sizes import is_multiple
from compiler_core.ir.types import F32
from compiler_core.kernel.fragment import Fragment
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution, extents, sides_of
from compiler_core.schedule.gpu.matmul import GpuMatmulSchedule


def emit_convolution(
    step: ConvolutionStep | FusedConvolution, schedule: GpuMatmulSchedule
) -> TritonSource:
    """The module of one convolution and of the elementwise fragment that follows it, if any. Sizes
    may be symbols, which are arguments."""
    w, conv = Writer(), step.conv

    def body() -> None:
        tile(w, step, schedule, outer="outer")
        _Printer(w, conv, schedule).walk()
        if step.epilogue is None:
            _store(w, conv, schedule)
        else:
            _epilogue(w, conv, step.epilogue, schedule)

    return emitted(w, step, schedule, body, schedule.num_stages)


class _Printer:
    """Prints the sums of a tile. `place` and `feature` are the tile's variables (`row` or
    `column`) along the two sides of the result; `by_place` and `by_feature` are the terms, spread
    so that they broadcast against these."""

    def __init__(self, w: Writer, conv: ConvolutionStep, schedule: GpuMatmulSchedule) -> None:
        self.w, self.conv, self.v, self.origins = w, conv, conv.sizes, conv.origins
        self.outer = "outer" if schedule.batch != 1 else "0"
        self.sides = sides_of(conv.sizes)
        first = self.sides.features_first
        # Rows are the features of a channels-first result, and its places otherwise.
        self.place, self.feature = ("column", "row") if first else ("row", "column")
        masks = {"row": row_mask(schedule), "column": column_mask(schedule)}
        self.place_mask, self.feature_mask = masks[self.place], masks[self.feature]
        even = is_multiple(conv.sizes.terms, schedule.block_k)
        self.terms = "" if even else f" < {conv.sizes.terms}"
        self.by_place, self.by_feature = (
            ("inner[:, None]", "inner[None, :]") if first else ("inner[None, :]", "inner[:, None]")
        )

    def walk(self) -> None:
        """Writes the loop over terms that accumulates the tile in f32."""
        w, v = self.w, self.v
        self._where()
        exact = ', input_precision="ieee"' if self.conv.dtype is F32 else ""
        w.line("acc = tl.full((BLOCK_M, BLOCK_N), 0, tl.float32)", self.origins)
        w.line(f"for start in range(0, {v.terms}, BLOCK_K):", self.origins)
        with w.indent():
            w.line("inner = start + tl.arange(0, BLOCK_K)")
            self._terms()
            self._patches()
            self._kernel()
            order = ("kernel", "patch") if self.sides.features_first else ("patch", "kernel")
            w.line(f"acc = tl.dot({order[0]}, {order[1]}, acc{exact})", self.origins)

    def _where(self) -> None:
        """The image, the group, and the output coordinates of each place of the tile."""
        w, v = self.w, self.v
        whole = (v.batch, *v.out)
        outer = self.outer
        if v.groups > 1:
            w.line(f"group_of_features = {_modulo(outer, v.groups, whole, self.sides.batch)}")
            w.line(f"feature = group_of_features * {v.features} + {self.feature}")
            outer = f"{outer} // {v.groups}"
        else:
            w.line(f"feature = {self.feature}")
        if self.sides.batch:
            w.line(f"batch = {outer}")
            self._split("batch", self.sides.batch)
        self._split(self.place, self.sides.places)

    def _split(self, name: str, dims: tuple[int, ...]) -> None:
        """The coordinates along `dims` of the linear index `name`, the last one fastest."""
        whole = (self.v.batch, *self.v.out)
        for i, d in enumerate(dims):
            below = sizes.product(whole[x] for x in dims[i + 1 :])
            text = name if below == 1 else f"{name} // {sizes.atom(below)}"
            text = text if i == 0 else f"{text} % {sizes.atom(whole[d])}"
            self.w.line(f"{_coordinate(d)} = {text}")

    def _terms(self) -> None:
        """The channel and the window's coordinates of each term. The order of the terms is that of
        the image's memory: the channel is fastest where it has stride 1."""
        w, v = self.w, self.v
        window = prod(v.window)
        last = self.conv.lhs.strides[1] == 1 and v.channels != 1
        many = sizes.atom(v.channels)
        place, channel = (
            (f"inner // {many}", f"inner % {many}")
            if last
            else (f"inner % {window}", f"inner // {window}")
        )
        if window > 1:
            w.line(f"channel, at = {channel}, {place}")
        else:
            w.line("channel = inner")
        for d, size in enumerate(v.window):
            below = prod(v.window[d + 1 :])
            text = "at" if below == 1 else f"at // {below}"
            text = text if d == 0 else f"{text} % {size}"
            w.line(f"k{d} = {text if size > 1 else '0 * inner'}")

    def _patches(self) -> None:
        """Loads the tile `patch`: 0 outside of the image, and beyond the last place or term."""
        w, v, lhs = self.w, self.v, self.conv.lhs
        masks = [f"({self.by_place}{self.terms})" if self.terms else "", self.place_mask]
        where = [str(lhs.offset)] * (lhs.offset != 0)
        for d in range(v.rank):
            masks += self._coordinate_of(d)
            where.append(_scaled(f"x{d}", lhs.strides[2 + d]))
        if v.batch != 1:
            where.append(_scaled("image", lhs.strides[0]))
        channel = f"channel{self.by_place.removeprefix('inner')}"
        if v.groups > 1:
            channel = f"(group_of_features * {sizes.atom(v.channels)} + {channel})"
        where.append(_scaled(channel, lhs.strides[1]))
        # A coordinate of the image depends on the place and on the term.
        both = any(lhs.strides[2:])
        by_place = both or (v.batch != 1 and lhs.strides[0] != 0)
        where += _spread({self.place: by_place, self.by_place: both or lhs.strides[1] != 0})
        pointer = " + ".join([f"{lhs.buffer.name}_ptr", *filter(None, where)])
        present = " & ".join(filter(None, masks))
        if present:
            w.line(f"present = {present}", self.origins)
        only = ", mask=present, other=0.0" if present else ""
        w.line(f"patch = tl.load({pointer}{only})", self.origins)

    def _coordinate_of(self, d: int) -> list[str]:
        """Defines x{d} = stride * y{d} + dilation * k{d} - padding, the image's coordinate along
        spatial dimension `d`. Returns the tests that an element is there; those that hold for every
        place and term are left out."""
        v, gap = self.v, self.v.lhs_dilation[d]
        k = f"k{d}{self.by_place.removeprefix('inner')}"
        text = f"y{d}{_times(v.strides[d])} + {k}{_times(v.rhs_dilation[d])}"
        low = v.low[d]
        text += f" {'-' if low > 0 else '+'} {abs(low)}" if low else ""
        self.w.line(f"x{d} = {text}", self.origins)
        tests = [f"(x{d} >= 0)"] * (low > 0)
        most = (v.out[d] - 1) * v.strides[d] + v.reach[d] - 1 - low
        tests += [f"(x{d} < {v.size[d]})"] * (most > (v.size[d] - 1) * gap)
        if gap > 1:
            self.w.line(f"between{d} = x{d} % {gap}")
            self.w.line(f"x{d} = x{d} // {gap}")
            tests.append(f"(between{d} == 0)")
        return tests

    def _kernel(self) -> None:
        """Loads the tile `kernel`, mirrored along dimensions with `reversal`."""
        v, rhs = self.v, self.conv.rhs
        along = self.by_feature.removeprefix("inner")
        where = [str(rhs.offset)] * (rhs.offset != 0)
        where.append(_scaled("feature", rhs.strides[0]))
        where.append(_scaled(f"channel{along}", rhs.strides[1]))
        for d, (size, turned) in enumerate(zip(v.window, v.reversal, strict=True)):
            k = f"({size - 1} - k{d}{along})" if turned else f"k{d}{along}"
            where.append(_scaled(k, rhs.strides[2 + d]) if size > 1 else "")
        by_term = any(rhs.strides[1:])
        where += _spread({self.feature: rhs.strides[0] != 0, self.by_feature: by_term})
        pointer = " + ".join([f"{rhs.buffer.name}_ptr", *filter(None, where)])
        terms = f"({self.by_feature}{self.terms})" if self.terms else ""
        only = mask_argument((self.feature_mask, terms), ", other=0.0")
        self.w.line(f"kernel = tl.load({pointer}{only})", self.origins)


def _modulo(outer: str, groups: int, whole: tuple[sizes.Dim, ...], batch: tuple[int, ...]) -> str:
    """The group that `outer` counts: all of it, or its fastest part if it also counts images."""
    return f"{outer} % {groups}" if sizes.product(whole[d] for d in batch) != 1 else outer


def _coordinate(d: int) -> str:
    return "image" if d == 0 else f"y{d - 1}"


def _times(factor: sizes.Dim) -> str:
    return "" if factor == 1 else f" * {sizes.atom(factor)}"


def _spread(along: Mapping[str, bool]) -> list[str]:
    """Terms of value 0 that give a pointer the shape of its tile: of the variables that the address
    does not depend on, because an operand has one element along them or repeats it (stride 0)."""
    return [f"0 * {name}" for name, depends in along.items() if not depends]


def _scaled(text: str, stride: sizes.Dim) -> str:
    return f"{text}{_times(stride)}" if stride else ""


def _epilogue(
    w: Writer, conv: ConvolutionStep, fragment: Fragment, schedule: GpuMatmulSchedule
) -> None:
    """The fragment on the tile, whose stores replace the convolution's own."""
    sides = sides_of(conv.sizes)
    _, rows, columns = extents(conv.sizes, sides)
    names = ("feature", "column") if sides.features_first else ("row", "feature")
    fragment_on_tile(w, fragment, names, (rows, columns), schedule)


def _store(w: Writer, conv: ConvolutionStep, schedule: GpuMatmulSchedule) -> None:
    """Stores the tile in the result's memory, which is dense."""
    v = conv.sizes
    sides = sides_of(v)
    batch, rows, columns = extents(v, sides)
    row, column = ("feature", "column") if sides.features_first else ("row", "feature")
    where = f"{row} * {sizes.atom(columns)} + {column}"
    if batch != 1:
        where += f" + batch * {sizes.atom(rows * columns)}"
    masks = mask_argument((row_mask(schedule), column_mask(schedule)))
    w.line(f"tl.store({conv.out.name}_ptr + {where}, acc{masks})", conv.origins)
