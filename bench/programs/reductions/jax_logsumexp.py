# small: f32[128,128]
# medium: f32[1024,1024]
# large: f32[4096,4096]
import jax


def f(x):
    return jax.nn.logsumexp(x, axis=-1)
