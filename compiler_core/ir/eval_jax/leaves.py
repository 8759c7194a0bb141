"""Constants in jax.lax."""

from jax import lax

from compiler_core.ir.eval_jax.values import Rule, dtype_of

RULES: dict[str, Rule] = {
    "constant": lambda n: lax.full(n.type.shape, n["value"], dtype_of(n)),
    "iota": lambda n: lax.broadcasted_iota(dtype_of(n), n.type.shape, n["dimension"]),
}
