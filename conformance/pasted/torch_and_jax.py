import jax
import jax.numpy as jnp
import numpy as np
import torch


@torch.compile
def torch_softmax(x):
    return torch.softmax(x, -1)


@jax.jit
def jax_softmax(x):
    return jax.nn.softmax(x, -1)


x = np.random.randn(8, 32).astype(np.float32)
np.testing.assert_allclose(torch_softmax(torch.from_numpy(x)).numpy(), jax_softmax(jnp.asarray(x)), rtol=1e-5)
