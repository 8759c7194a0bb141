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


RULES: dict[str, Rule] = {
    "dot_general": _dot,
}
