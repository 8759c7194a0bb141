"""A Llama block in JAX: rotary positions, grouped-query attention, SwiGLU and RMSNorm"""

import jax
import jax.numpy as jnp

WIDTH, HEADS, KV_HEADS, HIDDEN, LENGTH = 128, 8, 2, 344, 64
HEAD = WIDTH // HEADS


def rms_norm(scale, x):
    return scale * x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-5)


def rotate(x):
    frequencies = 10000.0 ** (-jnp.arange(0, HEAD, 2) / HEAD)
    angles = jnp.arange(x.shape[1])[:, None] * frequencies
    sin, cos = jnp.sin(angles)[:, None], jnp.cos(angles)[:, None]
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1)


def attention(p, x):
    b, t, _ = x.shape
    q = rotate((x @ p["q"]).reshape(b, t, HEADS, HEAD))
    k = rotate((x @ p["k"]).reshape(b, t, KV_HEADS, HEAD))
    v = (x @ p["v"]).reshape(b, t, KV_HEADS, HEAD)
    return jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(b, t, WIDTH) @ p["out"]


@jax.jit
def forward(p, x):
    x = x + attention(p, rms_norm(p["norm1"], x))
    h = rms_norm(p["norm2"], x)
    return x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]


@jax.jit
def train(p, x, target):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((forward(p, x) - target) ** 2))(p)
    return jax.tree.map(lambda w, g: w - 0.01 * g, p, grads), loss


shapes = {
    "q": (WIDTH, WIDTH), "k": (WIDTH, KV_HEADS * HEAD), "v": (WIDTH, KV_HEADS * HEAD),
    "out": (WIDTH, WIDTH), "gate": (WIDTH, HIDDEN), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH),
}  # fmt: skip
keys = jax.random.split(jax.random.key(0), len(shapes) + 2)
p = {n: jax.random.normal(k, s) * s[0] ** -0.5 for (n, s), k in zip(shapes.items(), keys)}
p |= {"norm1": jnp.ones(WIDTH), "norm2": jnp.ones(WIDTH)}
x, target = (jax.random.normal(k, (2, LENGTH, WIDTH)) for k in keys[-2:])
forward(p, x)
train(p, x, target)
