"""Steps of random JAX programs: as the torch ones, without writes in place, with loops, branches
and scans as regions."""

import random
from collections.abc import Callable
from typing import Any

import jax
from jax import lax
from jax import numpy as jnp

from conformance.programs import Kind

Given = tuple[Any, ...]
Array = Any


def _nothing(rng: random.Random, *xs: Array) -> Given:
    return ()


def _axis(rng: random.Random, x: Array, *_: Array) -> Given | None:
    return (rng.randrange(-x.ndim, x.ndim),) if x.ndim else None


def _axis_and(low: int, high: int) -> Callable[..., Given | None]:
    """An axis, and a number in low to high."""

    def draw(rng: random.Random, x: Array, *_: Array) -> Given | None:
        at = _axis(rng, x)
        return None if at is None else (*at, rng.randint(low, high))

    return draw


def _of(low: int, high: int) -> Callable[..., Given]:
    return lambda rng, *xs: (rng.randint(low, high),)


def _slice(rng: random.Random, x: Array) -> Given | None:
    if not x.ndim:
        return None
    start = rng.randint(0, x.shape[0])
    return start, rng.randint(start, x.shape[0]), rng.randint(1, 3)


def _permutation(rng: random.Random, x: Array) -> Given:
    return (tuple(rng.sample(range(x.ndim), x.ndim)),)


def _index(x: Array, like: Array, axis: int) -> Array:
    return like.astype(jnp.int32) % x.shape[axis]


def _taken(x: Array, like: Array, axis: int) -> Array:
    return jnp.take(x, _index(x, like.reshape(-1), axis), axis=axis)


def _scattered(x: Array, y: Array) -> Array:
    return x.at[_index(x, y.reshape(-1), 0)].add(1)


def _branch(x: Array, n: int) -> Array:
    return lax.cond(x.sum() > n, lambda v: v + v[::-1], lambda v: v * 2 - 1, x)


def _loop(x: Array, n: int) -> Array:
    return lax.fori_loop(0, n, lambda i, v: v + jnp.roll(v, 1) + i.astype(v.dtype), x)


def _scan(x: Array) -> Array:
    carried, rows = lax.scan(lambda c, row: (c + row, c - row), jnp.zeros_like(x[0]), x)
    return rows + carried


def _while(x: Array, n: int) -> Array:
    def smaller(state: Any) -> Any:
        return (state[0] < n) & (jnp.abs(state[1]).max() < 100)

    return lax.while_loop(smaller, lambda s: (s[0] + 1, s[1] * 2 + 1), (0, x))[1]


def _floats(x: Array) -> Array:
    return jnp.tanh(x.astype(jnp.float32))


_TYPES = ("float32", "bfloat16", "float16", "int32", "uint8", "int16")


def _type(rng: random.Random, x: Array) -> Given:
    floating = jnp.issubdtype(x.dtype, jnp.floating)
    return (rng.choice(_TYPES[:3] if floating else _TYPES),)


TABLE: dict[str, Kind] = {
    "add": Kind(_nothing, jnp.add, 2, exact=True),
    "maximum": Kind(_nothing, jnp.maximum, 2, exact=True),
    "mul": Kind(_of(-2, 2), lambda x, n: x * n, exact=True),
    "tanh": Kind(_nothing, _floats),
    "exp": Kind(_nothing, lambda x: jnp.exp(-jnp.abs(x.astype(jnp.float32)))),
    "divide": Kind(_nothing, lambda x, y: x / (1 + jnp.abs(y)), 2),
    "where": Kind(_nothing, lambda x, y: jnp.where(x > y, x, y * 2), 2, exact=True, jumps=True),
    "floor_divide": Kind(_of(2, 5), lambda x, n: x // n, exact=True, jumps=True),
    "remainder": Kind(_of(2, 5), lambda x, n: x % n, exact=True, jumps=True),
    "type": Kind(_type, lambda x, t: x.astype(t)),
    "whole": Kind(_nothing, lambda x: x.astype(jnp.int32), exact=True, jumps=True),
    "transpose": Kind(_permutation, jnp.transpose, exact=True),
    "slice": Kind(_slice, lambda x, a, b, s: x[a:b:s], exact=True),
    "ravel": Kind(_nothing, jnp.ravel, exact=True),
    "reshape": Kind(_nothing, lambda x: x.reshape(2, -1), exact=True),
    "flip": Kind(_axis, jnp.flip, exact=True),
    "roll": Kind(_axis_and(-3, 3), lambda x, a, n: jnp.roll(x, n, a), exact=True),
    "cat": Kind(_axis, lambda x, y, a: jnp.concatenate([x, y, x], a), 2, exact=True),
    "pad": Kind(_of(0, 2), lambda x, n: jnp.pad(x, n, constant_values=1), exact=True),
    "dilate": Kind(
        _of(0, 1), lambda x, n: lax.pad(x, x.dtype.type(1), [(n, 0, 1)] * x.ndim), exact=True
    ),
    "repeat": Kind(_axis_and(1, 3), lambda x, a, n: jnp.repeat(x, n, a), exact=True),
    "sum": Kind(_axis, lambda x, a: x.sum(a), exact=True),
    "max": Kind(_axis, lambda x, a: x.max(a), exact=True),
    "argmin": Kind(_axis, lambda x, a: x.argmin(a), exact=True, jumps=True),
    "cumsum": Kind(_axis, jnp.cumsum, exact=True),
    "cummax": Kind(_nothing, lambda x: lax.cummax(x, 0, reverse=True), exact=True),
    "softmax": Kind(_axis, lambda x, a: jax.nn.softmax(x.astype(jnp.float32), a)),
    "sort": Kind(_axis, jnp.sort, exact=True),
    "take": Kind(_axis, _taken, 2, exact=True, jumps=True),
    "scatter": Kind(_nothing, _scattered, 2, exact=True, jumps=True),
    "set": Kind(_slice, lambda x, a, b, s: x.at[a:b:s].set(7), exact=True),
    "dynamic": Kind(_of(0, 3), lambda x, n: lax.dynamic_index_in_dim(x, n - 1, 0), exact=True),
    "branch": Kind(_of(-3, 3), _branch, exact=True, jumps=True),
    "loop": Kind(_of(0, 4), _loop, exact=True),
    "scan": Kind(_nothing, _scan, exact=True),
    "while": Kind(_of(0, 4), _while, exact=True, jumps=True),
    "matmul": Kind(_nothing, lambda x, y: _floats(x) @ _floats(y), 2),
    "grad": Kind(_nothing, lambda x: jax.grad(lambda v: jnp.sin(v).sum() ** 2)(_floats(x))),
}
