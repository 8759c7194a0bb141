from dataclasses import dataclass

import jax
import jax.numpy as jnp


@jax.tree_util.register_dataclass
@dataclass
class State:
    w: jax.Array
    m: jax.Array


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y


jax.tree_util.register_pytree_node(Point, lambda p: ((p.x, p.y), None), lambda _, c: Point(*c))


@jax.jit
def momentum(s: State, g: jax.Array) -> State:
    m = 0.9 * s.m + g
    return State(s.w - 0.1 * m, m)


@jax.jit
def swap(p):
    return Point(p.y, p.x * 2)


print(momentum(State(jnp.ones(4), jnp.zeros(4)), jnp.ones(4)).w, swap(Point(jnp.ones(2), jnp.zeros(2))).y)
