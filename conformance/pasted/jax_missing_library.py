import flax.linen as nn
import jax


class MLP(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(10)(x)
