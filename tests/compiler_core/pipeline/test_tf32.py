"""Where eager multiplies f32 in TF32, as GPUs do, its error has that reason."""

import jax
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from compiler_core.pipeline.tf32 import in_tf32
from tests.compiler_core.capture.oracle import captured

pytestmark = pytest.mark.cpu

CASES = [
    ("torch", F.conv2d, ((1, 2, 8, 8), (3, 2, 3, 3)), "convolutions"),
    ("jax", lambda x, w: x @ w, ((4, 8), (8, 2)), "products"),
]


def captured_of(fn, framework, shapes):
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    given = arrays if framework == "jax" else map(torch.from_numpy, arrays)
    return captured(framework, fn, *given)


@pytest.mark.parametrize(("framework", "fn", "shapes", "what"), CASES, ids=["torch", "jax"])
def test_it_is_said_where_a_device_has_it(framework, fn, shapes, what):
    program = captured_of(fn, framework, shapes)
    assert (
        in_tf32(program, framework, "cuda") == f": it computes {what} of f32 in TF32 on this device"
    )
    assert in_tf32(program, framework, "cpu") == ""


def test_torch_multiplies_matrices_so_where_it_is_told_to():
    program = captured_of(torch.mm, "torch", ((4, 8), (8, 2)))
    assert in_tf32(program, "torch", "cuda") == ""


def test_jax_does_not_where_a_precision_is_given():
    program = captured_of(lambda x, w: x @ w, "jax", ((4, 8), (8, 2)))
    with jax.default_matmul_precision("float32"):
        assert in_tf32(program, "jax", "cuda") == ""


def test_what_multiplies_nothing_has_no_such_reason():
    program = captured_of(torch.tanh, "torch", ((4, 8),))
    assert in_tf32(program, "torch", "cuda") == ""
