import jax
import jax.numpy as jnp


class Dense:
    def __init__(self, features):
        self.features = features

    def init(self, key, x):
        w = jax.nn.initializers.lecun_normal()(key, (x.shape[-1], self.features))
        return {"kernel": w, "bias": jnp.zeros(self.features)}

    def apply(self, params, x):
        return x @ params["kernel"] + params["bias"]


model = Dense(10)
x = jnp.ones((4, 7))
params = model.init(jax.random.key(0), x)
print(jax.jit(model.apply)(params, x).shape)
