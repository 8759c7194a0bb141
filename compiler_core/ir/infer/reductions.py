"""Types of reductions, cumulative scans and window reductions: one result for each operand."""

from compiler_core.ir.graph import Region
from compiler_core.ir.infer.rule import Attrs, SeveralRule, Types, check
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.sizes import floordiv


def _operands_fit(operands: Types, attrs: Attrs) -> None:
    """Checks that there is an operand for each component of the monoid, all of one shape."""
    name = attrs["monoid"]
    check(name in MONOIDS, lambda: f"no monoid {name}")
    parts = MONOIDS[name].components
    check(
        len(operands) == len(parts),
        lambda: f"{name} combines {', '.join(parts)}, and here are {len(operands)} operands",
    )
    check(
        all(t.shape == operands[0].shape for t in operands),
        lambda: f"operands differ: {', '.join(map(str, operands))}",
    )


def _reduce(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    _operands_fit(operands, attrs)
    dimensions = tuple(attrs["dimensions"])
    check(
        all(0 <= d < operands[0].rank for d in dimensions),
        lambda: f"reduce of {operands[0]} over {dimensions}",
    )
    kept = tuple(size for i, size in enumerate(operands[0].shape) if i not in dimensions)
    return tuple(t.with_shape(kept) for t in operands)


def _cumulative(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    _operands_fit(operands, attrs)
    check(
        0 <= attrs["dimension"] < operands[0].rank,
        lambda: f"cumulative of {operands[0]} along {attrs['dimension']}",
    )
    return operands


def _reduce_window(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    _operands_fit(operands, attrs)
    rank = operands[0].rank
    names = ("window", "strides", "base_dilation", "window_dilation", "low", "high")
    check(
        all(len(attrs[name]) == rank for name in names),
        lambda: f"reduce_window of {operands[0]}: a number is missing for a dimension",
    )
    shape = []
    for size, window, stride, base, dilation, low, high in zip(
        operands[0].shape, *(attrs[name] for name in names), strict=True
    ):
        padded = low + high + (size - 1) * base + 1 if size else low + high
        reach = (window - 1) * dilation + 1
        shape.append(floordiv(padded - reach, stride) + 1 if padded >= reach else 0)
    return tuple(t.with_shape(tuple(shape)) for t in operands)


SEVERAL: dict[str, SeveralRule] = {
    "reduce": _reduce,
    "cumulative": _cumulative,
    "reduce_window": _reduce_window,
}
