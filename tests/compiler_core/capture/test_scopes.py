"""Each captured operation knows the modules that it is called in, whichever way it was captured."""

from compiler_core.capture import capture
from tests.compiler_core.snippets import explore

BLOCKS = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.mlp = nn.LayerNorm(4), nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        return x + self.mlp(self.norm(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x.sum()

net = Net()
"""


def scopes(source, op):
    """Of every operation whose name has `op`, in order, each once."""
    (program,) = explore(source).programs
    return list(dict.fromkeys(node.scope for node in capture(program).nodes if op in node.op))


def test_of_a_module_they_are_its_own_names():
    source = BLOCKS + "torch.compile(net)(torch.ones(2, 4))"
    assert scopes(source, "relu") == ["blocks/0/mlp/1", "blocks/1/mlp/1"]
    assert scopes(source, "add.") == ["blocks/0", "blocks/1"]
    assert scopes(source, "sum") == [""]


def test_of_a_module_that_a_function_calls_they_begin_with_its_class():
    source = BLOCKS + "torch.compile(lambda x: torch.relu(net(x)))(torch.ones(2, 4))"
    assert scopes(source, "relu") == ["Net/blocks/0/mlp/1", "Net/blocks/1/mlp/1", ""]


def test_a_backward_graph_has_those_of_what_it_differentiates():
    source = BLOCKS + "torch.compile(lambda x: net(x).backward())(torch.ones(2, 4))"
    assert scopes(source, "relu") == ["Net/blocks/0/mlp/1", "Net/blocks/1/mlp/1"]
    assert scopes(source, "threshold_backward") == ["Net/blocks/1/mlp/1", "Net/blocks/0/mlp/1"]


def test_of_jax_they_are_its_named_scopes_those_around_a_call_included():
    source = """
import jax
import jax.numpy as jnp

@jax.jit
def inner(x):
    with jax.named_scope("mlp"):
        return jnp.sin(x)

@jax.jit
def f(x):
    for i in range(2):
        with jax.named_scope(f"block{i}"):
            x = jnp.where(x > 0, inner(x), jax.lax.fori_loop(0, 3, lambda _, y: y * y, x))
    return jax.grad(lambda y: jnp.tanh(y).sum())(x)

f(jnp.ones(3))
"""
    assert scopes(source, "sin") == ["block0/mlp", "block1/mlp"]
    assert scopes(source, "select_n") == ["block0", "block1"]
    assert scopes(source, "mul")[:2] == ["block0", "block1"]
    assert scopes(source, "tanh") == [""]


def test_of_jax_without_named_scopes_they_are_the_functions_that_are_called():
    source = """
import jax
import jax.numpy as jnp

def norm(x):
    return x / jnp.sqrt((x * x).mean())

def block(w, x):
    return x + jax.nn.silu(norm(x) @ w)

def loss(ws, x):
    for w in ws:
        x = block(w, x)
    return jnp.sin(norm(x)).sum()

@jax.jit
def step(ws, x):
    grads = jax.grad(loss)(ws, x)
    return jax.tree.map(lambda w, g: w - 0.1 * g, ws, grads)

step([jnp.ones((4, 4))] * 3, jnp.ones((2, 4)))
"""
    of_blocks = [f"step/loss/block/{i}/norm" for i in range(3)]
    assert scopes(source, "sqrt") == [*of_blocks, "step/loss/norm"]
    assert scopes(source, "cos") == ["step/loss"]
    # A product for the weights and, but in the first, one for what it reads.
    of_products = [f"step/loss/block/{i}" for i in range(3)]
    assert scopes(source, "dot_general") == of_products
    (program,) = explore(source).programs
    products = [n.scope[-1] for n in capture(program).nodes if n.op == "dot_general"]
    assert "".join(products) == "01222110"
    # What is inside of a function of the library belongs to whoever called that.
    assert set(scopes(source, "logistic")) == set(of_products)
    assert scopes(source, "sub")[-1] == "step"
