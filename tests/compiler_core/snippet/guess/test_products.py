"""What products imply of sizes goes on from what annotations say of them."""

import pytest

from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

MLP = """
import jax
from jaxtyping import Array, Float, PyTree

def mlp(params: PyTree, x: Float[Array, "batch 24"]):
    h = jax.nn.silu(x @ params["w1"] + params["b1"])
    return h @ params["w2"] + params["b2"]
"""


def test_a_size_that_an_annotation_says():
    (program,) = explore(MLP).programs
    params, x = program.args
    assert x.shape == (8, 24) and params["w1"].shape[0] == 24
    assert params["b1"].shape[0] == params["w1"].shape[1] == params["w2"].shape[0]
