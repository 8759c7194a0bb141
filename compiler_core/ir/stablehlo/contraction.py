"""Contractions in StableHLO."""

from collections.abc import Sequence

from compiler_core.ir.graph import Value
from compiler_core.ir.stablehlo.generic import Rule, array, operation_text


def _dot(node: Value) -> str:
    names = ("lhs_batching", "rhs_batching", "lhs_contracting", "rhs_contracting")
    attrs = ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract")
    numbers = ", ".join(
        f"{name}_dimensions = {list(node[attr])}" for name, attr in zip(names, attrs, strict=True)
    )
    return operation_text(
        node, "stablehlo.dot_general", {"dot_dimension_numbers": f"#stablehlo.dot<{numbers}>"}
    )


def _convolution(node: Value) -> str:
    lhs, rhs, out = (
        _dimensions(node[f"{side}_dims"], *names)
        for side, names in (("lhs", "bf"), ("rhs", "oi"), ("out", "bf"))
    )
    rank = len(node["strides"])
    edges = ", ".join(f"[{a}, {b}]" for a, b in zip(node["low"], node["high"], strict=True))
    padding = f"dense<{f'[{edges}]' if rank else ''}> : tensor<{rank}x2xi64>"
    turned = ", ".join("true" if each else "false" for each in node["window_reversal"])
    attributes = {
        "window_strides": array(node["strides"]),
        "padding": padding,
        "lhs_dilation": array(node["lhs_dilation"]),
        "rhs_dilation": array(node["rhs_dilation"]),
        "window_reversal": f"array<i1{': ' if rank else ''}{turned}>",
        "dimension_numbers": f"#stablehlo.conv<{lhs}x{rhs}->{out}>",
        "feature_group_count": f"{node['groups']} : i64",
        "batch_group_count": "1 : i64",
    }
    return operation_text(node, "stablehlo.convolution", attributes)


def _dimensions(dims: Sequence[int], *names: str) -> str:
    """What each dimension is, as text: `[b, 0, 1, f]`."""
    meant = (*names, *map(str, range(len(dims) - 2)))
    return f"[{', '.join(meant[dims.index(d)] for d in range(len(dims)))}]"


RULES: dict[str, Rule] = {
    "dot_general": _dot,
    "convolution": _convolution,
}
