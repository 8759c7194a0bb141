from __future__ import annotations
import dataclasses
from typing import Any
import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Params:
    w: jax.Array
    b: jax.Array
    name: str = dataclasses.field(default="dense", metadata=dict(static=True))


@jax.tree_util.register_pytree_node_class
class State:
    def __init__(self, params, m, step):
        self.params, self.m, self.step = params, m, step

    def tree_flatten(self):
        return (self.params, self.m, self.step), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


def loss(p: Params, x):
    return jnp.mean((x @ p.w + p.b) ** 2)


@jax.jit
def train(state: State, x):
    l, g = jax.value_and_grad(loss)(state.params, x)
    m = jax.tree.map(lambda m, g: 0.9 * m + g, state.m, g)
    p = jax.tree.map(lambda p, m: p - 0.1 * m, state.params, m)
    return State(p, m, state.step + 1), l


p = Params(jnp.ones((4, 2)), jnp.zeros(2))
s = State(p, jax.tree.map(jnp.zeros_like, p), 0)
for _ in range(2):
    s, l = train(s, jnp.ones((8, 4)))
print(l)
