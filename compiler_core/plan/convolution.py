"""A convolution as a step: the layout of its operands, and the ways to run it."""

from dataclasses import dataclass, replace

from compiler_core.ir.convolution import Convolution, convolution_of
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, Symbol, hint, number, product, symbols
from compiler_core.ir.types import DType, TensorType
from compiler_core.kernel import affine
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.schedule.cpu.schedule import register

# The framework's strategy for a convolution.
VENDOR = "convolution"


@dataclass(frozen=True)
class Operand:
    """A tensor in a buffer, with strides and offset in elements: [batch, feature, *spatial] of the
    input, [out feature, in feature, *spatial] of the kernel."""

    buffer: BufferParam
    sizes: tuple[Dim, ...]
    strides: tuple[Dim, ...]
    offset: Dim = 0

    @property
    def steps(self) -> tuple[int, ...]:
        """The strides of the spatial dimensions. Raises Undecided if these are a symbol's."""
        return tuple(number(s, "the strides within a window") for s in self.strides[2:])

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
    library: str | None = "convolution"
    kind = "convolution"
    ops = ("convolution",)
    by_design = True
    scratch: tuple[BufferParam, ...] = ()
    # The kernel that is fused to it, and that kernel on a tile: none (plan/fused_convolution.py).
    end = None
    epilogue = None
    steps = ()
    plans = ()
    kernel = None
    skips_masked = False
    partial = False
    launches = 1

    def generated(self, copied: Dim = 0) -> "ConvolutionStep":
        """The same convolution by a generated kernel, with scratch memory for `copied` elements of
        the image, in the type that is multiplied."""
        room = BufferParam(f"{self.name}_image", TensorType(register(self.dtype), (copied,)), "out")
        return replace(self, library=None, scratch=(room,) if copied else ())

    @property
    def conv(self) -> "ConvolutionStep":
        """The convolution itself; a FusedConvolution has the one without its epilogue here."""
        return self

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that a generated kernel needs the values of."""
        sides = (d for x in (self.lhs, self.rhs) for d in (*x.strides, x.offset))
        dims = (self.sizes.batch, self.sizes.channels, *sides)
        return tuple(sorted({s for dim in dims for s in symbols(dim)}))

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return tuple({b.name: b for b in (self.lhs.buffer, self.rhs.buffer)}.values())

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return (self.out,)

    def traffic(self) -> tuple[int, int]:
        read = sum(hint(product(x.sizes)) for x in (self.lhs, self.rhs)) * self.dtype.bytes
        return read, self.out.type.at_hint().bytes

    def flops(self) -> int:
        """Floating-point operations in the captured call, a multiply-add being two; products with
        elements of the padding count too."""
        return 2 * hint(self.sizes.elements * self.sizes.terms)

    def lines(self) -> list[Line]:
        v = self.sizes
        image, window = ("x".join(map(str, x)) or "1" for x in (v.size, v.window))
        shape = f"{v.batch} x [{v.groups * v.channels},{image}] * "
        shape += f"[{v.groups * v.features},{v.channels},{window}]"
        name = f"{self.out.name} = convolution {self.lhs.buffer.name} {self.rhs.buffer.name}"
        return [(f"{name}  # {shape}", self.origins)]


def operand(conv: Value, side: int, base: Value) -> Operand | None:
    """How operand `side` of a convolution lies in the memory of `base`, of which it is a view; None
    if its dimensions have no constant strides."""
    x = conv.operands[side]
    dims = conv[("lhs_dims", "rhs_dims")[side]]
    access = affine.through_views(x, base)
    if access is None:
        return None
    strides = tuple(access.stride(f"d{d}") for d in dims)
    if any(x < 0 for x in (*strides, access.offset)):
        return None
    sizes = tuple(x.type.shape[d] for d in dims)
    return Operand(BufferParam("", base.type, "in"), sizes, strides, access.offset)


def step_of(
    conv: Value, lhs: Operand, rhs: Operand, out: BufferParam, name: str
) -> ConvolutionStep:
    """The step of a `convolution` operation whose operands are read as `lhs` and `rhs`."""
    sizes = convolution_of(conv.operation)
    return ConvolutionStep(name, sizes, conv.type.dtype, lhs, rhs, out, conv.origins)
