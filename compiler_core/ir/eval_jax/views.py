"""Views in jax.lax."""

from jax import lax

from compiler_core.ir.eval_jax.values import Rule

RULES: dict[str, Rule] = {
    "broadcast_in_dim": lambda n, x: lax.broadcast_in_dim(x, n.type.shape, n["dimensions"]),
    "reshape": lambda n, x: lax.reshape(x, n.type.shape),
    "transpose": lambda n, x: lax.transpose(x, n["permutation"]),
    "slice": lambda n, x: lax.slice(x, n["start"], n["limit"], n["strides"]),
    "reverse": lambda n, x: lax.rev(x, n["dimensions"]),
    "concatenate": lambda n, *xs: lax.concatenate(xs, n["dimension"]),
    "pad": lambda n, x, v: lax.pad(
        x, v, list(zip(n["low"], n["high"], n["interior"], strict=True))
    ),
}
