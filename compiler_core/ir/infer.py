"""The type rule of every operation: operand types and attributes -> result types, or VerifyError.

The rules are StableHLO's: no implicit broadcast, no implicit promotion. Whoever builds a graph
broadcasts and converts first (ir/build.py helps).
"""

from collections.abc import Callable, Mapping
from typing import Any

from compiler_core.errors import VerifyError
from compiler_core.ir import ops
from compiler_core.ir.graph import Region
from compiler_core.ir.types import BOOL, DTYPES, TensorType

Attrs = Mapping[str, Any]
Rule = Callable[[tuple[TensorType, ...], Attrs], TensorType]
SeveralRule = Callable[[tuple[TensorType, ...], Attrs, tuple[Region, ...]], tuple[TensorType, ...]]
# Inputs of type rules that a built operation keeps in its types only.
IMPLIED = frozenset({"type", "types", "shape", "dtype"})


def check(condition: bool, message: Callable[[], str]) -> None:
    if not condition:
        raise VerifyError(message())


def infer(
    op: str, operands: tuple[TensorType, ...], attrs: Attrs, regions: tuple[Region, ...] = ()
) -> tuple[TensorType, ...]:
    """The result types of `op`. Raises VerifyError naming the operands that do not fit."""
    info = ops.OPS.get(op)
    check(info is not None, lambda: f"there is no operation {op}")
    assert info is not None
    if info.arity is not None:
        check(
            len(operands) == info.arity,
            lambda: f"{op} takes {info.arity} operands, not {len(operands)}",
        )
    if op in SEVERAL:
        return SEVERAL[op](operands, attrs, regions)
    return (RULES[op](operands, attrs),)


def _declared(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    """Operations whose result type is not a function of their operands carry it."""
    result: TensorType = attrs["type"]
    return result


def _same(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    first = operands[0]
    check(
        all(t == first for t in operands),
        lambda: f"operands differ: {', '.join(map(str, operands))}",
    )
    return first


def _compare(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    check(attrs["direction"] in ops.COMPARE_DIRECTIONS, lambda: f"direction {attrs['direction']}")
    return _same(operands, attrs).with_dtype(BOOL)


def _is_finite(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    return operands[0].with_dtype(BOOL)


def _select(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    predicate, on_true, on_false = operands
    check(predicate.dtype is BOOL, lambda: f"select's predicate is {predicate}, not bool")
    check(
        predicate.shape == on_true.shape,
        lambda: f"select's predicate is {predicate}, its values {on_true}",
    )
    return _same((on_true, on_false), attrs)


def _convert(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    return operands[0].with_dtype(DTYPES[str(attrs["dtype"])])


def _broadcast(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
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


def _reshape(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    result = operands[0].with_shape(tuple(attrs["shape"]))
    check(result.numel == operands[0].numel, lambda: f"{operands[0]} does not reshape to {result}")
    return result


def _transpose(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    (operand,) = operands
    permutation = tuple(attrs["permutation"])
    check(
        sorted(permutation) == list(range(operand.rank)),
        lambda: f"{permutation} is no permutation of {operand}",
    )
    return operand.with_shape(tuple(operand.shape[i] for i in permutation))


def _slice(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    (operand,) = operands
    shape = []
    for size, start, limit, stride in zip(
        operand.shape, attrs["start"], attrs["limit"], attrs["strides"], strict=True
    ):
        if not (0 <= start <= limit <= size and stride >= 1):
            raise VerifyError(f"slice [{start}:{limit}:{stride}] of {operand}")
        shape.append(max(0, -(-(limit - start) // stride)))
    return operand.with_shape(tuple(shape))


def _concatenate(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    dimension: int = attrs["dimension"]
    first = operands[0]

    def rest(t: TensorType) -> tuple[int, ...]:
        return t.shape[:dimension] + t.shape[dimension + 1 :]

    check(
        all(t.dtype is first.dtype and rest(t) == rest(first) for t in operands),
        lambda: f"concatenate of {', '.join(map(str, operands))} along {dimension}",
    )
    shape = list(first.shape)
    shape[dimension] = sum(t.shape[dimension] for t in operands)
    return first.with_shape(tuple(shape))


def _pad(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    operand, value = operands
    check(value == TensorType(operand.dtype), lambda: f"pad of {operand} with {value}")
    shape = tuple(
        low + high + size + max(0, size - 1) * interior
        for size, low, high, interior in zip(
            operand.shape, attrs["low"], attrs["high"], attrs["interior"], strict=True
        )
    )
    check(all(size >= 0 for size in shape), lambda: f"pad of {operand} to {shape}")
    return operand.with_shape(shape)


def _reduce(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    (operand,) = operands
    dimensions = tuple(attrs["dimensions"])
    check(attrs["monoid"] in ops.MONOIDS, lambda: f"no monoid {attrs['monoid']}")
    check(
        all(0 <= d < operand.rank for d in dimensions),
        lambda: f"reduce of {operand} over {dimensions}",
    )
    kept = tuple(size for i, size in enumerate(operand.shape) if i not in dimensions)
    return operand.with_shape(kept)


def _dot(operands: tuple[TensorType, ...], attrs: Attrs) -> TensorType:
    lhs, rhs = operands
    lb, rb = tuple(attrs["lhs_batch"]), tuple(attrs["rhs_batch"])
    lc, rc = tuple(attrs["lhs_contract"]), tuple(attrs["rhs_contract"])
    check(
        [lhs.shape[i] for i in lb + lc] == [rhs.shape[i] for i in rb + rc]
        and lhs.dtype is rhs.dtype,
        lambda: f"dot_general of {lhs} and {rhs} over {lb + lc} and {rb + rc}",
    )
    batch = [lhs.shape[i] for i in lb]
    rows = [size for i, size in enumerate(lhs.shape) if i not in lb + lc]
    columns = [size for i, size in enumerate(rhs.shape) if i not in rb + rc]
    return lhs.with_shape(tuple(batch + rows + columns))


def _several_declared(
    operands: tuple[TensorType, ...], attrs: Attrs, regions: tuple[Region, ...]
) -> tuple[TensorType, ...]:
    return tuple(attrs["types"])


_SPECIAL: dict[str, Rule] = {
    "compare": _compare,
    "select": _select,
    "is_finite": _is_finite,
    "convert": _convert,
    "broadcast_in_dim": _broadcast,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "concatenate": _concatenate,
    "pad": _pad,
    "reduce": _reduce,
    "dot_general": _dot,
    "reverse": _same,
    "cumulative": _same,
    "parameter": _declared,
    "constant": _declared,
    "iota": _declared,
}

RULES: dict[str, Rule] = {**dict.fromkeys(ops.ELEMENTWISE, _same), **_SPECIAL}

# The operations with any number of results, or with regions.
SEVERAL: dict[str, SeveralRule] = {"library_call": _several_declared}
