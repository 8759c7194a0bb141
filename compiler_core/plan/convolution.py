"""A convolution as a step: the layout of its operands, and the ways to run it."""

from dataclasses import dataclass, replace
from math import prod

from compiler_core.ir.convolution import Convolution, convolution_of
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import number
from compiler_core.ir.types import DType, TensorType
from compiler_core.kernel import affine
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line


@dataclass(frozen=True)
class Operand:
    """A tensor in a buffer, with strides and offset in elements: [batch, feature, *spatial] of the
    input, [out feature, in feature, *spatial] of the kernel."""

    buffer: BufferParam
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def named(self, name: str) -> "Operand":
        return replace(self, buffer=replace(self.buffer, name=name))


@dataclass(frozen=True)
class ConvolutionStep:
    """`sizes` are those of the convolution; `out` is dense, with its dimensions in the order of
    `sizes.out_dims`."""

    name: str
    sizes: Convolution
    dtype: DType
    lhs: Operand
    rhs: Operand
    out: BufferParam
    origins: tuple[int, ...] = ()
    reason: str = "convolution: the vendor's library"
    library: str | None = "convolution"
    kind = "convolution"
    ops = ("convolution",)
    by_design = True
    scratch: tuple[BufferParam, ...] = ()
    plans = ()
    launches = 1

    def generated(self, reason: str, copied: int) -> "ConvolutionStep":
        """The same by a generated kernel, with room for so many elements of the image."""
        room = BufferParam(f"{self.name}_image", TensorType(self.dtype, (copied,)), "out")
        scratch = (room,) if copied else ()
        return replace(self, library=None, reason=reason, scratch=scratch)

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return tuple({b.name: b for b in (self.lhs.buffer, self.rhs.buffer)}.values())

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return (self.out,)

    def traffic(self) -> tuple[int, int]:
        read = sum(prod(x.sizes) for x in (self.lhs, self.rhs)) * self.dtype.bytes
        return read, self.out.type.bytes

    def flops(self) -> int:
        """Two for each product, those with padding included."""
        return 2 * self.sizes.elements * self.sizes.terms

    def lines(self) -> list[Line]:
        v = self.sizes
        image, window = ("x".join(map(str, x)) or "1" for x in (v.size, v.window))
        shape = f"{v.batch} x [{v.groups * v.channels},{image}] * "
        shape += f"[{v.groups * v.features},{v.channels},{window}]"
        name = f"{self.out.name} = convolution {self.lhs.buffer.name} {self.rhs.buffer.name}"
        return [(f"{name}  # {shape}, {self.reason}", self.origins)]


def operand(conv: Value, side: int, base: Value) -> Operand | None:
    """How operand `side` of a convolution lies in the memory of `base`, of which it is a view; None
    if its dimensions have no constant strides."""
    x = conv.operands[side]
    dims = conv[("lhs_dims", "rhs_dims")[side]]
    access = affine.through_views(x, base)
    if access is None or access.offset < 0:
        return None
    strides = tuple(number(access.stride(f"d{d}")) for d in dims)
    if min(strides) < 0:
        return None
    sizes = tuple(x.type.sizes[d] for d in dims)
    return Operand(BufferParam("", base.type, "in"), sizes, strides, number(access.offset))


def step_of(
    conv: Value, lhs: Operand, rhs: Operand, out: BufferParam, name: str
) -> ConvolutionStep:
    sizes = convolution_of(conv.operation)
    return ConvolutionStep(name, sizes, conv.type.dtype, lhs, rhs, out, conv.origins)
