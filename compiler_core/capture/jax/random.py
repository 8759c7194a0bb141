"""JAX's random bits: counters and ciphers are arithmetic, and so is everything of a key.

A key travels as its words (interop/packed.py). What JAX says that a primitive does to keys, it says
in Python over their words: that is traced, and lowered like any other program.
"""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import jax
import numpy as np
from jax import lax

from compiler_core.capture.jax import views
from compiler_core.capture.jax.types import dtype_of, type_of
from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.capture.special.bits import recast
from compiler_core.interop.packed import is_key
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.random_bits import threefry2x32
from compiler_core.ir.types import U32, U64, TensorType

# -- of arrays


def _threefry2x32(ctx: LoweringContext, p: Params, *xs: Operand) -> tuple[Value, ...]:
    first, second, x, y = ctx.operands(*xs)
    return threefry2x32(ctx.b, (first, second), (x, y))


def _iota_2x32(ctx: LoweringContext, p: Params) -> tuple[Value, ...] | None:
    """The high and the low words of the numbers of a shape's elements."""
    shape = ctx.out.sizes
    if prod(shape) >= 2**32:
        return None
    low = ctx.b.iota(U32, (prod(shape),), 0)
    return ctx.b.scalar(0, U32, shape), ctx.b.reshape(low, shape)


def _bitcast(ctx: LoweringContext, p: Params, x: Value) -> Value | None:
    dtype = dtype_of(p["new_dtype"])
    if "bool" in (dtype.kind, x.type.dtype.kind):
        return None
    if dtype.bits != x.type.dtype.bits:
        return recast(ctx, x, dtype)
    same = dtype is x.type.dtype
    return x if same else ctx.b.node("bitcast_convert", x, dtype=dtype)


# The algorithms by JAX's names; XLA's default is the same on every CPU and GPU.
_ALGORITHMS = {
    lax.RandomAlgorithm.RNG_DEFAULT: "PHILOX",
    lax.RandomAlgorithm.RNG_PHILOX: "PHILOX",
    lax.RandomAlgorithm.RNG_THREE_FRY: "THREE_FRY",
}


def _rng_bit_generator(ctx: LoweringContext, p: Params, state: Value) -> tuple[Value, ...] | None:
    algorithm = _ALGORITHMS.get(p["algorithm"])
    _, bits = ctx.types
    if algorithm is None or bits.dtype.kind != "uint":
        return None
    paired = state.type.dtype is U32
    two = TensorType(U64, (2,))
    results = ctx.b.operation(
        "rng_bit_generator", [_paired(ctx.b, state) if paired else state],
        algorithm=algorithm, types=(two, bits),
    )  # fmt: skip
    return _halves(ctx.b, results[0]) if paired else results[0], results[1]


def _paired(b: Builder, state: Value) -> Value:
    """u32[4] as u64[2], low words first."""
    low, high = (
        b.convert(b.node("slice", state, start=(at,), limit=(4,), strides=(2,)), U64)
        for at in (0, 1)
    )
    return b.node("or", low, b.node("shift_left", high, b.scalar(32, U64, (2,))))


def _halves(b: Builder, state: Value) -> Value:
    high = b.node("shift_right_logical", state, b.scalar(32, U64, (2,)))
    columns = [b.reshape(b.convert(x, U32), (2, 1)) for x in (state, high)]
    return b.reshape(b.node("concatenate", *columns, dimension=1), (4,))


TABLE: dict[str, JaxRule] = {
    "threefry2x32": _threefry2x32,
    "iota_2x32_shape": _iota_2x32,
    "bitcast_convert_type": _bitcast,
    "rng_bit_generator": _rng_bit_generator,
}

# -- of keys

OnWords = Callable[..., Any]


def _bits(eqn: Any) -> OnWords:
    key, p = eqn.invars[0].aval, eqn.params
    return _each(key, lambda k: key.dtype._impl.random_bits(k, p["bit_width"], p["shape"]))


def _split(eqn: Any) -> OnWords:
    key = eqn.invars[0].aval
    return _each(key, lambda k: key.dtype._impl.split(k, eqn.params["shape"]))


def _fold_in(eqn: Any) -> OnWords:
    """One of them may stand for many, as a key does that a program is mapped beside (vmap)."""
    key, out = eqn.invars[0].aval, eqn.outvars[0].aval
    each = _each(out, key.dtype._impl.fold_in)

    def folded(words: Any, data: Any) -> Any:
        every = (*out.shape, *words.shape[len(key.shape) :])
        return each(jax.numpy.broadcast_to(words, every), jax.numpy.broadcast_to(data, out.shape))

    return folded


def _seed(eqn: Any) -> OnWords:
    return _each(eqn.invars[0].aval, eqn.params["impl"].seed)


def _each(aval: Any, function: OnWords) -> OnWords:
    """`function` of one key, for an array of them."""
    for _ in aval.shape:
        function = jax.vmap(function)
    return function


def _same(eqn: Any) -> OnWords:
    return lambda words: words


_KEYS: Mapping[str, Callable[[Any], OnWords | None]] = {
    "random_bits": _bits,
    "random_split": _split,
    "random_fold_in": _fold_in,
    "random_seed": _seed,
    "random_wrap": _same,
    "random_unwrap": _same,
}

# Primitives that move whole elements: applied to keys, they move all words of a key alike.
_MOVING = frozenset({
    *views.MOVES, *views.JOINS, "dynamic_slice", "gather", "select_n", "copy", "copy_p",
})  # fmt: skip


def on_words(eqn: Any) -> Any:
    """What an equation over keys does to their words, as a closed jaxpr; None if that is not
    known."""
    atoms = (*eqn.invars, *eqn.outvars)
    if not any(is_key(x.aval) for x in atoms):
        return None
    if eqn.primitive.name in _KEYS:
        function = _KEYS[eqn.primitive.name](eqn)
    else:
        function = _moved(eqn) if eqn.primitive.name in _MOVING else None
    if function is None:
        return None
    given = [_words(x.aval) for x in eqn.invars]
    return jax.make_jaxpr(function)(*given)


def _words(aval: Any) -> Any:
    dtype = np.uint32 if is_key(aval) else aval.dtype
    return jax.ShapeDtypeStruct(type_of(aval).sizes, dtype)


def _moved(eqn: Any) -> OnWords:
    axes = tuple(-1 if is_key(x.aval) else None for x in eqn.invars)
    params = eqn.primitive.get_bind_params(eqn.params)

    def move(*xs: Any) -> Any:
        return eqn.primitive.bind(*xs, **params)

    return jax.vmap(move, in_axes=axes, out_axes=-1)
