"""What a rule of either front end is given: the builder, the result types, and helpers for the
broadcasting and type promotion that frameworks allow and the IR does not."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core.interop.numpy_dtypes import in_type
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim, Size
from compiler_core.ir.types import BOOL, F32, DType, TensorType

Number = float | int | bool
# A symbolic size is an operand too: a number that is known at the call.
Operand = Value | Number | Size


@dataclass(frozen=True)
class LoweringContext:
    """One framework operation while it is lowered. `types` are the types that its results must
    have, `raw` its arguments in the framework's own form."""

    b: Builder
    types: tuple[TensorType, ...]
    raw: tuple[Any, ...] = ()

    @property
    def out(self) -> TensorType:
        """The type of the first result."""
        return self.types[0]

    # -- operands

    def cast(self, x: Operand, dtype: DType, shape: Sequence[Dim] = ()) -> Value:
        """`x` as `dtype`; a number becomes a constant of `shape`."""
        if not isinstance(x, Value):
            return self.b.scalar(_number(x, dtype), dtype, shape)
        if dtype is BOOL and x.type.dtype is not BOOL:
            zero = self.b.scalar(_number(0, x.type.dtype), x.type.dtype, x.type.shape)
            return self.b.compare(x, zero, "NE")
        return self.b.convert(x, dtype)

    def fit(self, x: Operand, dtype: DType, shape: Sequence[Dim]) -> Value:
        """`x` as `dtype`, broadcast to `shape`."""
        return self.b.broadcast(self.cast(x, dtype, shape), shape)

    def filled(self, x: Operand) -> Value:
        """`x` in the type and shape of the result. A number is rounded to the result's type,
        whereas the operators take f32 numbers."""
        dtype = self.out.dtype
        if isinstance(x, int | float) and dtype.is_float and dtype.bits < 32:
            x = float(in_type(x, dtype.name))
        return self.fit(x, dtype, self.out.shape)

    def like(self, x: Operand, y: Value) -> Value:
        """`x` converted and broadcast to the type of `y`."""
        return self.fit(x, y.type.dtype, y.type.shape)

    def operands(self, *xs: Operand) -> tuple[Value, ...]:
        """The operands converted and broadcast to the type of the result."""
        return tuple(self.fit(x, self.out.dtype, self.out.shape) for x in xs)

    def upcast(self, *xs: Operand) -> tuple[Value, ...]:
        """The operands broadcast to the shape of the result, in the dtype in which composites are
        computed: f32 for f16 and bf16, as in the frameworks' own kernels."""
        dtype = upcast_dtype(self.out.dtype)
        return tuple(self.fit(x, dtype, self.out.shape) for x in xs)

    def downcast(self, x: Value) -> Value:
        """`x` converted back to the type of the result."""
        return self.cast(x, self.out.dtype)

    # -- arithmetic, with numbers as operands

    def op(self, name: str, x: Value, *ys: Operand) -> Value:
        """The elementwise operation `name` of `x` and operands that are broadcast to its type."""
        return self.b.node(name, x, *(self.like(y, x) for y in ys))

    def add(self, x: Value, y: Operand) -> Value:
        return self.op("add", x, y)

    def sub(self, x: Value, y: Operand) -> Value:
        return self.op("subtract", x, y)

    def mul(self, x: Value, y: Operand) -> Value:
        return self.op("multiply", x, y)

    def div(self, x: Value, y: Operand) -> Value:
        return self.op("divide", x, y)

    def neg(self, x: Value) -> Value:
        return self.b.node("negate", x)

    def exp(self, x: Value) -> Value:
        return self.b.node("exponential", x)

    def compare(self, x: Value, y: Operand, direction: str) -> Value:
        """`x` compared with `y` as `direction` says: EQ, NE, LT, LE, GT or GE."""
        return self.b.compare(x, self.like(y, x), direction)

    def select(self, predicate: Value, x: Operand, y: Operand, like: Value | None = None) -> Value:
        """x where `predicate` is true, else y. `like` gives the type where both are numbers."""
        model = next((v for v in (x, y, like) if isinstance(v, Value)), predicate)
        return self.b.node("select", predicate, self.like(x, model), self.like(y, model))

    def is_nan(self, x: Value) -> Value:
        return self.b.compare(x, x, "NE")


def upcast_dtype(dtype: DType) -> DType:
    """The dtype of computation and accumulation: f32 for f16 and bf16, else the type itself."""
    return F32 if dtype.is_float and dtype.bits < 32 else dtype


def _number(x: Number | Size, dtype: DType) -> Number | Size:
    if isinstance(x, Size):
        return x
    if dtype is BOOL:
        return bool(x)
    return float(x) if dtype.is_float else dtype.wrapped(int(x))
