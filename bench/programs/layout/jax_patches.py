# small: f32[2,32,32,3]
# medium: f32[16,224,224,3]
# large: f32[64,224,224,3]
import jax.numpy as jnp


def f(image):
    b, h, w, c = image.shape
    x = image.reshape(b, h // 16, 16, w // 16, 16, c)
    return jnp.transpose(x, (0, 1, 3, 2, 4, 5)).reshape(b, -1, 256 * c) * 2 - 1
