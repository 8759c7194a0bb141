"""Types of views."""

from compiler_core.errors import VerifyError
from compiler_core.ir.infer.rule import Attrs, Rule, Types, check, same
from compiler_core.ir.sizes import Dim, ceildiv
from compiler_core.ir.types import TensorType


def _broadcast(operands: Types, attrs: Attrs) -> TensorType:
    (operand,) = operands
    shape, dimensions = tuple(attrs["shape"]), tuple(attrs["dimensions"])
    check(
        len(dimensions) == operand.rank and list(dimensions) == sorted(set(dimensions)),
        lambda: f"broadcast_in_dim of {operand}: dimensions {dimensions}",
    )
    for size, dimension in zip(operand.shape, dimensions, strict=True):
        check(
            dimension < len(shape) and size in (1, shape[dimension]),
            lambda: f"{operand} does not broadcast to {shape} along {dimensions}",
        )
    return operand.with_shape(shape)


def _reshape(operands: Types, attrs: Attrs) -> TensorType:
    result = operands[0].with_shape(tuple(attrs["shape"]))
    check(
        result.elements == operands[0].elements,
        lambda: f"{operands[0]} does not reshape to {result}",
    )
    return result


def _transpose(operands: Types, attrs: Attrs) -> TensorType:
    (operand,) = operands
    permutation = tuple(attrs["permutation"])
    check(
        sorted(permutation) == list(range(operand.rank)),
        lambda: f"{permutation} is no permutation of {operand}",
    )
    return operand.with_shape(tuple(operand.shape[i] for i in permutation))


def _slice(operands: Types, attrs: Attrs) -> TensorType:
    (operand,) = operands
    shape: list[Dim] = []
    for size, start, limit, stride in zip(
        operand.shape, attrs["start"], attrs["limit"], attrs["strides"], strict=True
    ):
        if not (0 <= start <= limit <= size and stride >= 1):
            raise VerifyError(f"slice [{start}:{limit}:{stride}] of {operand}")
        shape.append(ceildiv(limit - start, stride))
    return operand.with_shape(tuple(shape))


def _concatenate(operands: Types, attrs: Attrs) -> TensorType:
    dimension: int = attrs["dimension"]
    first = operands[0]

    def rest(t: TensorType) -> tuple[Dim, ...]:
        return t.shape[:dimension] + t.shape[dimension + 1 :]

    check(
        all((t.dtype, t.rank, rest(t)) == (first.dtype, first.rank, rest(first)) for t in operands)
        and 0 <= dimension < first.rank,
        lambda: f"concatenate of {', '.join(map(str, operands))} along {dimension}",
    )
    shape = list(first.shape)
    shape[dimension] = sum(t.shape[dimension] for t in operands)
    return first.with_shape(tuple(shape))


def _pad(operands: Types, attrs: Attrs) -> TensorType:
    operand, value = operands
    check(value == TensorType(operand.dtype), lambda: f"pad of {operand} with {value}")
    shape = tuple(
        low + high + size + (max(0, size - 1) * interior if interior else 0)
        for size, low, high, interior in zip(
            operand.shape, attrs["low"], attrs["high"], attrs["interior"], strict=True
        )
    )
    check(all(size >= 0 for size in shape), lambda: f"pad of {operand} to {shape}")
    return operand.with_shape(shape)


RULES: dict[str, Rule] = {
    "broadcast_in_dim": _broadcast,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "reverse": same,
    "concatenate": _concatenate,
    "pad": _pad,
}
