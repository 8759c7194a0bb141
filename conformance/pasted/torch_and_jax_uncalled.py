import jax
import jax.numpy as jnp
import torch


def rms_norm_torch(x, weight, eps=1e-6):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def rms_norm_jax(x, weight, eps=1e-6):
    return x * jax.lax.rsqrt(jnp.mean(x ** 2, -1, keepdims=True) + eps) * weight
