"""Packed complex values: one real value with a further, last dimension of 2.

Packing what was unpacked gives the original value and vice versa, so that a chain of operations
works on the parts alone. The attribute `complex` marks such slices and concatenations for readers
of the text.
"""

from collections.abc import Sequence

from compiler_core.capture.complex_numbers.value import Complex, ComplexContext
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import DType, TensorType

_PARTS = ("real_part", "imaginary_part")


def packed(b: Builder, z: Complex) -> Value:
    """One real value with a further, last dimension: the real part, then the imaginary part. If
    both were unpacked from one value, that value."""
    source = _part_of(z.re, 0)
    if source is not None and source is _part_of(z.im, 1):
        return source
    shape = z.type.shape
    columns = [b.node("reshape", x, shape=(*shape, 1)) for x in (z.re, z.im)]
    return b.node("concatenate", *columns, dimension=len(shape), complex="both_parts")


def _part_of(part: Value, index: int) -> Value | None:
    """The packed value that `part` is read from, as `_part` does."""
    column = part.operands[0] if part.op == "reshape" else None
    if column is None or column.op != "slice":
        return None
    (source,) = column.operands
    shape = part.type.shape
    inside = ((0,) * len(shape), shape) == (column["start"][:-1], column["limit"][:-1])
    ends = (column["start"][-1:], column["limit"][-1:], source.type.shape[-1:])
    same = source.type.shape[:-1] == shape and set(column["strides"]) == {1}
    return source if inside and same and ends == ((index,), (index + 1,), (2,)) else None


def unpacked(b: Builder, value: Value) -> Complex:
    """The parts of a packed value; if it was packed from known parts, these."""
    if value.op == "concatenate" and _is_packing(value):
        re, im = (column.operands[0] for column in value.operands)
        return Complex(re, im)
    return Complex(_part(b, value, 0), _part(b, value, 1))


def _is_packing(value: Value) -> bool:
    """Whether `value` is what `packed` makes."""
    shape, columns = value.type.shape[:-1], value.operands
    return (
        value["dimension"] == len(shape)
        and len(columns) == 2
        and all(x.op == "reshape" and x.operands[0].type.shape == shape for x in columns)
    )


def _part(b: Builder, value: Value, index: int) -> Value:
    shape = value.type.shape[:-1]
    part = b.node(
        "slice", value, start=(*(0 for _ in shape), index), limit=(*shape, index + 1),
        strides=(1,) * (len(shape) + 1), complex=_PARTS[index],
    )  # fmt: skip
    return b.reshape(part, shape)


def constant(b: Builder, value: complex, dtype: DType, shape: Sequence[Dim]) -> Value:
    """A packed constant; `dtype` is the type of its parts."""
    ctx = ComplexContext(b, (TensorType(dtype, tuple(shape)),))
    return packed(b, ctx.as_complex(complex(value), dtype, shape))
