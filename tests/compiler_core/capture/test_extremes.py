"""Extremes with their places, from torch and from JAX: one reduction of pairs; of equals the first
has it, and a NaN is beyond every number, as eager has it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

NAN, INF = float("nan"), float("inf")
ROWS = {
    "equals": [[2, 1, 2, 1], [0, 0, 0, 0], [1, 3, 3, -1]],
    "NaN": [[1, NAN, 3, NAN], [NAN, NAN, NAN, NAN], [-INF, INF, NAN, 0]],
    "infinities": [[-INF] * 4, [INF, -INF, INF, -INF], [INF, INF, 1, INF]],
    "signed zeros": [[0.0, -0.0, 0.0, -0.0], [-0.0, 0.0, 0.0, 0.0], [-0.0, -0.0, 0.0, -0.0]],
}
OF_TORCH = {
    "argmax": lambda x: x.argmax(1),
    "argmin of all": lambda x: x.argmin(),
    "argmax kept": lambda x: x.argmax(0, keepdim=True),
    "max": lambda x: tuple(x.max(1)),
    "min": lambda x: tuple(x.min(0, keepdim=True)),
}
OF_JAX = {
    "argmax": lambda x: jnp.argmax(x, 1),
    "argmin of all": jnp.argmin,
    "argmin kept": lambda x: jnp.argmin(x, 0, keepdims=True),
}


def one_reduction(framework, fn, x):
    result = agrees(captured(framework, fn, x))
    assert library_calls(result) == []
    (reduction,) = (v for v in result.graph.operations if v.op == "reduce")
    assert len(reduction.types) == 2


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", OF_TORCH)
def test_of_torch(name, rows):
    one_reduction("torch", OF_TORCH[name], torch.tensor(ROWS[rows], dtype=torch.float32))


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", OF_JAX)
def test_of_jax(name, rows):
    one_reduction("jax", OF_JAX[name], np.array(ROWS[rows], np.float32))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64, torch.int64,
                                   torch.int8, torch.uint8])  # fmt: skip
def test_of_every_type(dtype):
    one_reduction("torch", OF_TORCH["max"], torch.tensor(ROWS["equals"]).abs().to(dtype))


def test_of_truth_values():
    one_reduction("jax", OF_JAX["argmax"], np.array(ROWS["equals"]) > 1)
    one_reduction("torch", OF_TORCH["max"], torch.tensor(ROWS["equals"]) > 1)


def test_a_place_of_the_type_that_is_asked_for():
    one_reduction("jax", lambda x: jax.lax.argmax(x, 1, np.int16), np.array(ROWS["NaN"]))


def test_of_one_number():
    agrees(captured("torch", lambda x: (x.argmax(), x.max(0)), torch.tensor(3.0)))
