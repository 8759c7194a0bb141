"""JAX's random numbers: keys, counters and ciphers become integer arithmetic, of the same bits."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

X = np.linspace(-3, 3, 24, dtype=np.float32).reshape(4, 6)
KEY = np.array([7, 2**31 + 5], np.uint32)


def keys_of(k):
    return jax.random.wrap_key_data(k)


PROGRAMS = {
    "uniform": lambda k, x: x * jax.random.uniform(k, x.shape),
    "normal": lambda k, x: x + jax.random.normal(k, x.shape),
    "bernoulli": lambda k, x: jnp.where(jax.random.bernoulli(k, 0.4, x.shape), x, 0),
    "randint": lambda k, x: jax.random.randint(k, x.shape, -3, 9),
    "bits of 8": lambda k, x: jax.random.bits(k, (5, 3), np.uint8),
    "bits of 16": lambda k, x: jax.random.bits(k, (7,), np.uint16),
    "split": lambda k, x: [jax.random.uniform(s) for s in jax.random.split(k, 3)],
    "folded in": lambda k, x: jax.random.uniform(jax.random.fold_in(k, 11), (3,)),
    "a key for many numbers": lambda k, x: jax.vmap(
        lambda i: jax.random.uniform(jax.random.fold_in(keys_of(k), i), (3,))
    )(jnp.arange(4)),
    "a number for many keys": lambda k, x: jax.vmap(
        lambda s: jax.random.uniform(jax.random.fold_in(s, 5))
    )(jax.random.split(keys_of(k), 4)),
    "many numbers for many keys": lambda k, x: jax.vmap(
        lambda s: jax.vmap(lambda i: jax.random.bits(jax.random.fold_in(s, i)))(jnp.arange(3))
    )(jax.random.split(keys_of(k), 2)),
    "of a seed": lambda k, x: jax.random.uniform(jax.random.key(42), (3,)),
    "many keys": lambda k, x: jax.vmap(lambda s: jax.random.normal(s, (2,)))(
        jax.random.split(k, 4)
    ),
    "keys that move": lambda k, x: jax.random.key_data(
        jnp.concatenate([jax.random.split(keys_of(k), 4)[::2].reshape(1, 2)] * 2)
    ),
    "keys that are split, and repeated": lambda k, x: [
        jax.random.key_data(each)
        for each in (
            *lax.split(jax.random.split(keys_of(k), 3), (1, 2)),
            jnp.tile(jax.random.split(keys_of(k), 2), 3),
        )
    ],
    "typed key": lambda k, x: jax.random.uniform(keys_of(k), x.shape),
    "categorical": jax.random.categorical,
    "gumbel": lambda k, x: jax.random.gumbel(k, x.shape),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    assert library_calls(agrees(captured("jax", PROGRAMS[name], KEY, X))) == []


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("algorithm", lax.RandomAlgorithm.__members__.values(), ids=str)
def test_the_generator_of_a_state(algorithm, dtype):
    def draw(state):
        return lax.rng_bit_generator(state, (3, 5), dtype, algorithm)

    result = agrees(captured("jax", draw, np.array([1, 2, 2**32 - 1, 2**32 - 1], np.uint32)))
    assert library_calls(result) == []
    assert "rng_bit_generator" in {op.op for op in result.graph.operations}


def test_a_key_of_the_generator():
    def draw(x):
        return x * jax.random.uniform(jax.random.key(3, impl="unsafe_rbg"), x.shape)

    assert library_calls(agrees(captured("jax", draw, X))) == []
