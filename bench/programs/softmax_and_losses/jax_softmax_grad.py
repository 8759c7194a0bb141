# small: f32[128,128], f32[128,128]
# medium: f32[1024,1024], f32[1024,1024]
# large: f32[4096,4096], f32[4096,4096]
import jax


def f(x, g):
    y, back = jax.vjp(lambda x: jax.nn.softmax(x, axis=-1), x)
    return y, back(g)[0]
