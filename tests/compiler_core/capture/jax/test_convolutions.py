"""JAX's convolutions and their gradients are convolutions of the IR."""

from typing import Any

import jax
import numpy as np
import pytest
from jax import lax

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

RNG = np.random.default_rng(0)

# Input, kernel, arguments of conv_general_dilated.
NUMBERS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "same": ((2, 3, 7, 9), (4, 3, 3, 2), {"window_strides": (2, 1), "padding": "SAME"}),
    "valid": ((2, 3, 7, 9), (4, 3, 3, 2), {"window_strides": (1, 1), "padding": "VALID"}),
    "edges": (
        (2, 3, 7, 9), (4, 3, 3, 2), {"window_strides": (2, 3), "padding": ((1, 2), (-1, 0))}
    ),
    "dilated": (
        (2, 3, 7, 9), (4, 3, 3, 2),
        {"window_strides": (1, 2), "padding": ((0, 1), (2, 1)), "lhs_dilation": (2, 1),
         "rhs_dilation": (1, 3)},
    ),
    "channels-last": (
        (2, 7, 9, 3), (3, 2, 3, 4),
        {"window_strides": (1, 1), "padding": "SAME",
         "dimension_numbers": ("NHWC", "HWIO", "NHWC")},
    ),
    "mixed": (
        (7, 2, 3, 9), (3, 4, 2, 3),
        {"window_strides": (2, 1), "padding": "SAME",
         "dimension_numbers": ("HNCW", "IOHW", "NWCH")},
    ),
    "grouped": (
        (2, 6, 7, 9), (4, 3, 3, 2),
        {"window_strides": (1, 1), "padding": "SAME", "feature_group_count": 2},
    ),
    "depthwise": (
        (2, 7, 9, 6), (3, 3, 1, 6),
        {"window_strides": (1, 1), "padding": "SAME", "feature_group_count": 6,
         "dimension_numbers": ("NHWC", "HWIO", "NHWC")},
    ),
    "batch-groups": (
        (4, 3, 7, 9), (6, 3, 3, 2),
        {"window_strides": (1, 1), "padding": "SAME", "batch_group_count": 2},
    ),
    "batch-groups-last": (
        (7, 3, 9, 4), (3, 2, 3, 6),
        {"window_strides": (1, 1), "padding": "SAME", "batch_group_count": 2,
         "dimension_numbers": ("HCWN", "HWIO", "NHWC")},
    ),
    "line": ((2, 3, 11), (4, 3, 4), {"window_strides": (2,), "padding": "SAME"}),
    "volume": ((1, 2, 4, 5, 6), (3, 2, 2, 3, 2), {"window_strides": (1,) * 3, "padding": "SAME"}),
}  # fmt: skip


def operands(name: str) -> list[np.ndarray]:
    return [RNG.standard_normal(s, np.float32) for s in NUMBERS[name][:2]]


@pytest.mark.parametrize("name", NUMBERS)
def test_forwards(name):
    attrs = NUMBERS[name][2]
    result = agrees(
        captured("jax", lambda x, w: lax.conv_general_dilated(x, w, **attrs), *operands(name))
    )
    assert library_calls(result) == []


@pytest.mark.parametrize("name", NUMBERS)
def test_backwards(name):
    attrs = NUMBERS[name][2]

    def loss(x, w):
        result = lax.conv_general_dilated(x, w, **attrs)
        return (result * result).sum()

    result = agrees(captured("jax", jax.grad(loss, (0, 1)), *operands(name)))
    assert library_calls(result) == []


def test_a_transposed_convolution_has_gaps_in_its_input():
    x, w = operands("channels-last")
    result = agrees(captured("jax", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME"), x, w))
    (conv,) = (o for o in result.graph.operations if o.op == "convolution")
    assert conv["lhs_dilation"] == (2, 2)


def test_the_preferred_type_is_the_result_s():
    x, w = (v.astype(jax.numpy.bfloat16) for v in operands("same"))

    def f(x, w):
        return lax.conv(x, w, (1, 1), "SAME", preferred_element_type=np.float32)

    agrees(captured("jax", f, x, w))
