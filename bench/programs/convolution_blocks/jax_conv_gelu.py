# small: f32[1,16,16,8], f32[3,3,8,16]
# medium: f32[4,56,56,32], f32[3,3,32,64]
# large: f32[16,56,56,64], f32[3,3,64,128]
# dtypes: f32
import jax
from jax import lax


def f(x, w):
    numbers = ("NHWC", "HWIO", "NHWC")
    y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers)
    return jax.nn.gelu(y)
