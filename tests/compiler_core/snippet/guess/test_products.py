"""What products imply of sizes: on from what annotations say of them, through what is joined, and
of what images are convolved with."""

import ast

import pytest

from compiler_core.snippet.guess.products import products
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


CRITIC = """
def mlp(params, x):
    for w, b in params[:-1]:
        x = relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b

def loss(q_params, target_q_params, policy_params, obs, act, next_obs):
    mean, log_std = jnp.split(mlp(policy_params, next_obs), 2, axis=-1)
    next_act = jnp.tanh(mean)
    target = mlp(target_q_params, jnp.concatenate([next_obs, next_act], -1)).squeeze(-1)
    return mlp(q_params, jnp.concatenate([obs, act], -1)).squeeze(-1) - target
"""
NET = """
def block(p, x):
    y = lax.conv_general_dilated(
        x, p["w"], (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return y * p["scale"]

def net(params, x):
    x = block(params["stem"], x)
    for each in params["blocks"]:
        x = x + block(each["conv"], x)
    return x.mean((1, 2)) @ params["w"]
"""


def _read(source, name):
    tree = ast.parse(source)
    code = next(d for d in tree.body if isinstance(d, ast.FunctionDef) and d.name == name)
    return products(code, {a.arg: None for a in code.args.args}, tree, "jax")


def test_what_is_joined_has_the_sizes_of_its_parts_together():
    """Next observations are as observations; the last layer of a critic gives one number, and half
    of what a policy's gives is an action."""
    found = _read(CRITIC, "loss")
    obs, act = found.last["obs",], found.last["act",]
    for network in ("q_params", "target_q_params"):
        assert found.shapes[network, "*", "w"][0] == obs + act
        assert found.shapes[network, "-1", "w"][1] == 1
    assert found.shapes["policy_params", "*", "w"][0] == found.last["next_obs",] == obs
    assert found.shapes["policy_params", "-1", "w"][1] == 2 * act


def test_kernels_have_windows_and_channels():
    shapes = _read(NET, "net").shapes
    assert shapes["params", "stem", "w"] == shapes["params", "blocks", "*", "conv", "w"]
    assert shapes["params", "stem", "w"] == (3, 3, 16, 16)
    assert shapes["params", "w"][0] == shapes["params", "stem", "scale"][0] == 16
