"""JAX's reads and writes at computed places, its sorting and windows: native operations that
give what JAX gives, out of bounds too, and their gradients."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu


def rand(*shape):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


def native(fn, *args):
    result = agrees(captured("jax", fn, *args))
    assert library_calls(result) == []
    return result


X, ROWS = rand(3, 4, 5), np.array([0, -1, 2, 7, -9], np.int32)
COLUMNS = np.array([1, 0, -4, 3, 9], np.int32)

READS = {
    "rows": lambda x, i, j: x[i],
    "points": lambda x, i, j: x[i, j],
    "apart": lambda x, i, j: x[i, :, j],
    "filled": lambda x, i, j: x.at[i, j].get(mode="fill", fill_value=-1.0),
    "filled-with-nan": lambda x, i, j: x.at[i].get(mode="fill"),
    "clipped": lambda x, i, j: x.at[i, j].get(mode="clip"),
    "taken": lambda x, i, j: jnp.take(x, i, axis=1),
    "along": lambda x, i, j: jnp.take_along_axis(x, jnp.abs(j)[None, None, :] % 4, axis=1),
    "vmapped": lambda x, i, j: jax.vmap(lambda row, k: row[k])(x, i[:3]),
    "a-row": lambda x, i, j: x[i[2]],
}


@pytest.mark.parametrize("name", READS)
def test_reads(name):
    native(READS[name], X, ROWS, COLUMNS)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, bool])
def test_what_is_filled_in_for_other_types(dtype):
    native(lambda x, i: x.at[i].get(mode="fill"), (X > 0).astype(dtype), ROWS)


WRITES = {
    "add": lambda x, i, j: x.at[i, j].add(2.0),
    "set": lambda x, i, j: x.at[i[:3]].set(1.0),
    "multiply": lambda x, i, j: x.at[i, j].multiply(3.0),
    "max": lambda x, i, j: x.at[:, i].max(0.0),
    "min": lambda x, i, j: x.at[i].min(0.0),
    "clipped": lambda x, i, j: x.at[i].add(1.0, mode="clip"),
    "applied": lambda x, i, j: x.at[1:3, 1:].apply(jnp.sin),
    "applied twice": lambda x, i, j: x.at[jnp.array([0, 2, 0])].apply(lambda v: v * v + 1),
    "applied once": lambda x, i, j: x.at[i[:1]].apply(lambda v: 2.0, unique_indices=True),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes(name):
    native(WRITES[name], X, ROWS, COLUMNS)


@pytest.mark.parametrize("start", [0, 2, -1, 9])
def test_slices_at_computed_places(start):
    at = np.int32(start)
    native(lambda x, s: lax.dynamic_slice(x, (s, 0, s), (2, 4, 1)), X, at)
    native(lambda x, s: lax.dynamic_update_slice(x, x[:1, :2] * 2, (s, 1, 0)), X, at)
    native(lambda x, s: lax.dynamic_index_in_dim(x, s, 1), X, at)


@pytest.mark.parametrize("name", [*READS, "slice"])
def test_gradients_of_reads_are_writes(name):
    read = READS.get(name, lambda x, i, j: lax.dynamic_slice(x, (i[2], 0, 0), (1, 2, 3)))
    native(jax.grad(lambda x: jnp.nansum(read(x, ROWS, COLUMNS) ** 2)), X)


def test_cross_entropy_by_take_along_axis():
    def loss(x, target):
        chosen = jnp.take_along_axis(jax.nn.log_softmax(x), target[:, None], axis=1)
        return -chosen.mean()

    native(jax.value_and_grad(loss), rand(6, 5), np.array([0, 4, 1, 1, 3, 2]))


def test_order():
    x = np.round(rand(4, 6))
    native(lambda x: jnp.sort(x, axis=0), x)
    native(lambda x: (jnp.argsort(x), jnp.argsort(x, descending=True)), x)
    native(lambda x: lax.sort((x, x * 2, x * 3), num_keys=2), x)
    native(lambda x: lax.top_k(x, 3), rand(4, 6))
    native(jnp.sort, rand(3, 0))
    native(jax.grad(lambda x: (jnp.sort(x) * jnp.arange(6.0)).sum()), rand(4, 6))


def test_running_results():
    for reverse in (False, True):
        for scan in (lax.cumsum, lax.cumprod, lax.cummax, lax.cummin, lax.cumlogsumexp):
            native(lambda x, s=scan, r=reverse: s(x, 1, reverse=r), rand(3, 7))


def test_windows():
    x = rand(2, 6, 7)
    for start, function in ((0.0, lax.add), (-jnp.inf, lax.max), (jnp.inf, lax.min)):
        for padding in ("VALID", "SAME"):
            native(
                lambda x, s=start, f=function, p=padding: lax.reduce_window(
                    x, s, f, (1, 3, 2), (1, 2, 1), p, window_dilation=(1, 1, 2)
                ),
                x,
            )
    native(jax.grad(lambda x: (lax.reduce_window(
        x, 0.0, lax.add, (1, 3, 2), (1, 2, 1), "SAME") ** 2).sum()), x)  # fmt: skip
