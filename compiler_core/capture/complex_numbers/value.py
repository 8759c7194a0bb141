"""A complex value while it is lowered: its real part and its imaginary part, two real values.

Between operations it is packed: one real value with a further, last dimension of 2. That is the
memory of the frameworks' own complex arrays, so programs take and give them in place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import DType, TensorType


@dataclass(frozen=True)
class Complex:
    """A complex number as its real and imaginary part, which have the same type."""

    re: Value
    im: Value

    @property
    def type(self) -> TensorType:
        """The type of each part."""
        return self.re.type

    def each(self, function: Callable[[Value], Value]) -> "Complex":
        """`function` of each part."""
        return Complex(function(self.re), function(self.im))


# An operand of a rule: an array, a complex array, or a number.
AnyOperand = Complex | Operand | complex


@dataclass(frozen=True)
class ComplexContext(LoweringContext):
    """As LoweringContext; the type of a complex result is that of its parts, and `is_complex` says
    for each result whether it is one."""

    is_complex: tuple[bool, ...] = ()

    def as_complex(self, x: AnyOperand, dtype: DType, shape: Sequence[Dim]) -> Complex:
        """`x` with parts of type `dtype`, broadcast to `shape`."""
        real, imaginary = parts_of(x)
        return Complex(self.fit(real, dtype, shape), self.fit(imaginary, dtype, shape))

    def complex_operands(self, *xs: AnyOperand) -> tuple[Complex, ...]:
        """The operands with the type of the result."""
        return tuple(self.as_complex(x, self.out.dtype, self.out.shape) for x in xs)

    def number(self, x: complex, like: Complex) -> Complex:
        """A constant with the type of `like`."""
        return self.as_complex(x, like.type.dtype, like.type.shape)

    def choose(self, predicate: Value, x: Complex, y: Complex) -> Complex:
        """x where `predicate` is true, else y."""
        return Complex(self.select(predicate, x.re, y.re), self.select(predicate, x.im, y.im))


def parts_of(x: AnyOperand) -> tuple[Operand, Operand]:
    """The real part and the imaginary part of an operand of any kind."""
    if isinstance(x, Complex):
        return x.re, x.im
    if isinstance(x, complex):
        return x.real, x.imag
    return x, 0


def common_type(*xs: AnyOperand) -> tuple[DType, tuple[Dim, ...]]:
    """The widest element type of the parts of `xs`, and the shape that they are broadcast to."""
    types = [x.type for x in xs if isinstance(x, Complex | Value)]
    floats = [t.dtype for t in types if t.dtype.is_float] or [types[0].dtype]
    rank = max(t.rank for t in types)
    padded = [(1,) * (rank - t.rank) + t.shape for t in types]
    shape = tuple(next((s for s in sizes if s != 1), 1) for sizes in zip(*padded, strict=True))
    return max(floats, key=lambda d: d.bits), shape
