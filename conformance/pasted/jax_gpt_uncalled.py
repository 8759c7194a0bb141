"""nanoGPT in JAX, pure functions, never called here."""
import jax
import jax.numpy as jnp
from dataclasses import dataclass


@dataclass(frozen=True)
class GPTConfig:
    block_size: int = 32
    vocab_size: int = 65
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 64


def init_params(rng, cfg: GPTConfig):
    k = iter(jax.random.split(rng, 4 + 6 * cfg.n_layer))
    n = lambda *s: 0.02 * jax.random.normal(next(k), s)
    blocks = [
        dict(ln1=jnp.ones(cfg.n_embd), qkv=n(cfg.n_embd, 3 * cfg.n_embd), proj=n(cfg.n_embd, cfg.n_embd),
             ln2=jnp.ones(cfg.n_embd), up=n(cfg.n_embd, 4 * cfg.n_embd), down=n(4 * cfg.n_embd, cfg.n_embd))
        for _ in range(cfg.n_layer)
    ]
    return dict(wte=n(cfg.vocab_size, cfg.n_embd), wpe=n(cfg.block_size, cfg.n_embd), blocks=blocks, lnf=jnp.ones(cfg.n_embd))


def layer_norm(x, g, eps=1e-5):
    m = x.mean(-1, keepdims=True)
    return g * (x - m) * jax.lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + eps)


def attention(x, qkv, proj, n_head):
    T, C = x.shape
    q, k, v = [a.reshape(T, n_head, C // n_head).swapaxes(0, 1) for a in jnp.split(x @ qkv, 3, axis=-1)]
    a = q @ k.swapaxes(-1, -2) / (C // n_head) ** 0.5
    a = jnp.where(jnp.tril(jnp.ones((T, T), bool)), a, -1e9)
    return (jax.nn.softmax(a) @ v).swapaxes(0, 1).reshape(T, C) @ proj


def gpt(params, tokens, cfg: GPTConfig):
    x = params["wte"][tokens] + params["wpe"][: len(tokens)]
    for b in params["blocks"]:
        x = x + attention(layer_norm(x, b["ln1"]), b["qkv"], b["proj"], cfg.n_head)
        x = x + jax.nn.gelu(layer_norm(x, b["ln2"]) @ b["up"]) @ b["down"]
    return layer_norm(x, params["lnf"]) @ params["wte"].T


def loss_fn(params, tokens, targets, cfg: GPTConfig):
    logits = jax.vmap(gpt, (None, 0, None))(params, tokens, cfg)
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], -1).mean()


def adamw(params, grads, m, v, step, lr=3e-4, b1=0.9, b2=0.95, wd=0.1):
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, v, grads)
    upd = lambda p, m, v: p - lr * (m / (1 - b1**step) / (jnp.sqrt(v / (1 - b2**step)) + 1e-8) + wd * p)
    return jax.tree.map(upd, params, m, v), m, v


@jax.jit
def train_step(params, m, v, step, tokens, targets):
    loss, grads = jax.value_and_grad(loss_fn)(params, tokens, targets, GPTConfig())
    params, m, v = adamw(params, grads, m, v, step)
    return params, m, v, loss
