"""Element types and tensor types.

Tensors are dense and row-major; any other layout is an explicit `transpose` in the graph.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from compiler_core.ir.sizes import Dim, Size, hint, number, product

Kind = Literal["float", "int", "uint", "bool"]


@dataclass(frozen=True, slots=True)
class DType:
    """An element type. `name` is its text form: StableHLO's names, except that i1 is bool and ui8
    is u8."""

    name: str
    kind: Kind
    bits: int

    @property
    def bytes(self) -> int:
        return max(1, self.bits // 8)

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    def wrapped(self, value: int) -> int:
        """The value of this integer type with the lowest bits of `value`."""
        low = -(2 ** (self.bits - 1)) if self.kind == "int" else 0
        return (value - low) % 2**self.bits + low

    def __reduce__(self) -> tuple[Callable[[str], "DType"], tuple[str]]:
        """Types are compared by identity: in another process, too, there is one of each."""
        return of_name, (self.name,)

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


def of_name(name: str) -> DType:
    """The element type with this name. Raises KeyError if there is none."""
    return DTYPES[name]


F64 = DType("f64", "float", 64)
F32 = DType("f32", "float", 32)
F16 = DType("f16", "float", 16)
BF16 = DType("bf16", "float", 16)
I64 = DType("i64", "int", 64)
I32 = DType("i32", "int", 32)
I16 = DType("i16", "int", 16)
I8 = DType("i8", "int", 8)
U64 = DType("u64", "uint", 64)
U32 = DType("u32", "uint", 32)
U16 = DType("u16", "uint", 16)
U8 = DType("u8", "uint", 8)
BOOL = DType("bool", "bool", 8)

DTYPES = {d.name: d for d in (F64, F32, F16, BF16, I64, I32, I16, I8, U64, U32, U16, U8, BOOL)}


@dataclass(frozen=True, slots=True)
class TensorType:
    """Element type and shape. Printed as f32[4096,1024], with a symbolic size as f32[B,1024], a
    scalar as f32[]. Properties that count elements or bytes return ints and raise Undecided if a
    size is symbolic: use `elements` for a possibly symbolic count, `at_hint()` for an estimate."""

    dtype: DType
    shape: tuple[Dim, ...] = ()

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def elements(self) -> Dim:
        """The number of elements, which may be symbolic."""
        return product(self.shape)

    @property
    def numel(self) -> int:
        """The number of elements as an int. Raises Undecided if a size is symbolic."""
        return number(self.elements)

    @property
    def bytes(self) -> int:
        """The size in dense memory. Raises Undecided if a size is symbolic."""
        return self.numel * self.dtype.bytes

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape as ints. Raises Undecided if a size is symbolic."""
        return tuple(map(number, self.shape))

    @property
    def is_symbolic(self) -> bool:
        """Whether some size is a symbol's."""
        return any(isinstance(d, Size) for d in self.shape)

    def at_hint(self) -> "TensorType":
        """The type with the sizes of the captured call."""
        if not self.is_symbolic:
            return self
        return TensorType(self.dtype, tuple(map(hint, self.shape)))

    def with_shape(self, shape: tuple[Dim, ...]) -> "TensorType":
        return TensorType(self.dtype, shape)

    def with_dtype(self, dtype: DType) -> "TensorType":
        return TensorType(dtype, self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}[{','.join(map(str, self.shape))}]"

    __repr__ = __str__


def strides(shape: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """Row-major strides in elements: (2, 3, 4) -> (12, 4, 1)."""
    result: list[Dim] = []
    step: Dim = 1
    for size in reversed(shape):
        result.append(step)
        step *= size
    return tuple(reversed(result))
