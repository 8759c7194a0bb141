import dataclasses

import jax
import jax.numpy as jnp


class Module:
    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        dataclasses.dataclass(cls)
        names = [f.name for f in dataclasses.fields(cls)]
        jax.tree_util.register_pytree_node(
            cls, lambda m: ([getattr(m, n) for n in names], None), lambda _, c: cls(*c)
        )


class Linear(Module):
    weight: jax.Array
    bias: jax.Array

    def __call__(self, x):
        return self.weight @ x + self.bias


class MLP(Module):
    first: Linear
    second: Linear

    def __call__(self, x):
        return self.second(jax.nn.relu(self.first(x)))


@jax.jit
@jax.value_and_grad
def loss(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


k1, k2 = jax.random.split(jax.random.key(0))
model = MLP(Linear(jax.random.normal(k1, (16, 8)), jnp.zeros(16)), Linear(jax.random.normal(k2, (2, 16)), jnp.zeros(2)))
print(loss(model, jnp.ones((4, 8)), jnp.zeros((4, 2)))[0])
