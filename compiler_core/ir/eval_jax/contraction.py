"""Contractions in jax.lax."""

from jax import lax

from compiler_core.ir.eval_jax.values import Array, Rule, dtype_of
from compiler_core.ir.graph import Value
from compiler_core.ir.types import BOOL


def _dot(n: Value, x: Array, y: Array) -> Array:
    contract = (tuple(n["lhs_contract"]), tuple(n["rhs_contract"]))
    batch = (tuple(n["lhs_batch"]), tuple(n["rhs_batch"]))
    if n.type.dtype is BOOL:
        counted = (lax.convert_element_type(v, "int32") for v in (x, y))
        return lax.dot_general(*counted, (contract, batch)) != 0
    return lax.dot_general(x, y, (contract, batch), preferred_element_type=dtype_of(n))


def _convolution(n: Value, x: Array, y: Array) -> Array:
    turned = [d for d, yes in zip(n["rhs_dims"][2:], n["window_reversal"], strict=True) if yes]
    is_bool = n.type.dtype is BOOL
    x, y = (lax.convert_element_type(v, "int32") if is_bool else v for v in (x, y))
    result = lax.conv_general_dilated(
        x, lax.rev(y, turned), n["strides"], tuple(zip(n["low"], n["high"], strict=True)),
        n["lhs_dilation"], n["rhs_dilation"],
        lax.ConvDimensionNumbers(n["lhs_dims"], n["rhs_dims"], n["out_dims"]), n["groups"],
        preferred_element_type=x.dtype,
    )  # fmt: skip
    return result != 0 if is_bool else result


RULES: dict[str, Rule] = {
    "dot_general": _dot,
    "convolution": _convolution,
}
