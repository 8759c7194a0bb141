"""Reductions, window reductions, and scans (as windows over all elements up to each one) in
StableHLO."""

from collections.abc import Mapping

from compiler_core.ir.combination import combination
from compiler_core.ir.graph import Operation
from compiler_core.ir.monoids import MONOIDS, for_dtype
from compiler_core.ir.stablehlo.generic import SeveralRule, array, use
from compiler_core.ir.stablehlo.mlir_text import dense, type_text
from compiler_core.ir.stablehlo.region import region_text
from compiler_core.ir.types import TensorType


def _monoid(operation: Operation) -> str:
    return for_dtype(operation["monoid"], operation.types[0].dtype)


def _body(operation: Operation) -> str:
    """The region that combines two elements with the monoid."""
    monoid = _monoid(operation)
    if len(operation.types) > 1:
        dtypes = tuple(t.dtype for t in operation.types)
        return region_text(combination(monoid, dtypes))
    scalar = type_text(TensorType(operation.types[0].dtype))
    return (
        f"({{^bb0(%lhs: {scalar}, %rhs: {scalar}): "
        f'%folded = "stablehlo.{monoid}"(%lhs, %rhs) : ({scalar}, {scalar}) -> {scalar} '
        f'"stablehlo.return"(%folded) : ({scalar}) -> ()}})'
    )


def _with_monoid(operation: Operation, name: str, attributes: Mapping[str, str]) -> str:
    """An operation that reduces with the monoid, and the constants that it starts from."""
    scalars = [TensorType(t.dtype) for t in operation.types]
    values = MONOIDS[_monoid(operation)].identity(operation.types[0].dtype)
    starts = [f"%start{x.id}" for x in operation.results]
    lines = [
        f'{start} = "stablehlo.constant"() <{{value = {dense(_as(v, t), t)}}}> : () -> '
        f"{type_text(t)}"
        for start, v, t in zip(starts, values, scalars, strict=True)
    ]
    count = f":{len(starts)}" if len(starts) > 1 else ""
    given = ", ".join([*map(use, operation.operands), *starts])
    types = ", ".join(type_text(t) for t in (*(x.type for x in operation.operands), *scalars))
    results = ", ".join(map(type_text, operation.types))
    written = ", ".join(f"{k} = {v}" for k, v in attributes.items())
    lines.append(
        f'{operation.results[0]}{count} = "stablehlo.{name}"({given}) <{{{written}}}> '
        f"{_body(operation)} : ({types}) -> {f'({results})' if count else results}"
    )
    return "\n".join(lines)


def _as(value: float | int | bool, type_: TensorType) -> float | int | bool:
    return float(value) if type_.dtype.is_float else value


def _reduce(operation: Operation) -> str:
    return _with_monoid(operation, "reduce", {"dimensions": array(sorted(operation["dimensions"]))})


def _cumulative(operation: Operation) -> str:
    at, type_ = operation["dimension"], operation.types[0]
    size = type_.shape[at]
    window = [size if i == at else 1 for i in range(type_.rank)]
    before, after = (0, size - 1) if operation["reverse"] else (size - 1, 0)
    edges = [[before, after] if i == at else [0, 0] for i in range(type_.rank)]
    attributes = {"window_dimensions": array(window), "padding": _edges(edges)}
    return _with_monoid(operation, "reduce_window", attributes)


def _reduce_window(operation: Operation) -> str:
    edges = [[a, b] for a, b in zip(operation["low"], operation["high"], strict=True)]
    attributes = {
        "window_dimensions": array(operation["window"]),
        "window_strides": array(operation["strides"]),
        "base_dilations": array(operation["base_dilation"]),
        "window_dilations": array(operation["window_dilation"]),
        "padding": _edges(edges),
    }
    return _with_monoid(operation, "reduce_window", attributes)


def _edges(edges: list[list[int]]) -> str:
    return f"dense<{edges}> : tensor<{len(edges)}x2xi64>"


SEVERAL: dict[str, SeveralRule] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
    "reduce_window": _reduce_window,
}
