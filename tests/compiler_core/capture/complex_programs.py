"""Operations on complex numbers, from both frameworks, and the values that they are tried on."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from jax import lax

INF = np.inf
ORDINARY = (0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 1e-3, 20.0)
EXTREME = (0.0, 1.0, -1.0, 3e38, -3e38, 1e30, -1e20, 1e-30)
INFINITE = (0.0, 1.0, -2.0, INF, -INF)
VALUES = {"ordinary": ORDINARY, "extreme": EXTREME, "infinite": INFINITE}


def grid(parts: Sequence[float]) -> np.ndarray:
    """complex64: every real part with every imaginary one."""
    found = np.empty((len(parts), len(parts)), np.complex64)
    found.real, found.imag = np.array(parts)[:, None], np.array(parts)
    return found.reshape(-1)


def pairs(parts: Sequence[float]) -> list[np.ndarray]:
    """Every number of a grid with every other."""
    found = grid(parts)
    return [np.repeat(found, len(found)), np.tile(found, len(found))]


def seeded(*shape: int, seed: int = 0) -> np.ndarray:
    """complex64, normal."""
    random = np.random.default_rng(seed)
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(np.complex64)


def each(*functions: Callable[..., Any]) -> Callable[..., tuple[Any, ...]]:
    return lambda *args: tuple(function(*args) for function in functions)


# -- functions of one number, and of two

OF_ONE: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "torch": {
        "parts": each(torch.real, torch.imag, torch.conj, torch.neg, torch.abs, torch.angle),
        "truth": each(torch.isnan, torch.isinf, torch.isfinite, torch.logical_not, torch.isreal),
        "powers": each(torch.reciprocal, torch.square, torch.sqrt, torch.rsqrt, torch.sgn),
        "exponential": each(torch.exp, torch.exp2, torch.sigmoid),
        "logarithm": each(torch.log, torch.log1p, torch.log2, torch.log10),
        "hyperbolic": each(torch.sinh, torch.cosh, torch.tanh),
        "circular": each(torch.sin, torch.cos, torch.tan),
        "inverse hyperbolic": each(torch.asinh, torch.acosh, torch.atanh),
        "inverse circular": each(torch.asin, torch.acos, torch.atan),
    },
    "jax": {
        "parts": each(jnp.real, jnp.imag, jnp.conj, jnp.negative, jnp.abs, jnp.angle),
        "truth": each(jnp.isnan, jnp.isinf, jnp.isfinite, jnp.logical_not, jnp.isreal),
        "powers": each(lambda z: 1 / z, jnp.sqrt, lax.rsqrt, jnp.sign),
        "exponential": each(jnp.exp, jnp.exp2, jnp.expm1, jax.nn.sigmoid),
        "logarithm": each(jnp.log, jnp.log1p, jnp.log2, jnp.log10),
        "hyperbolic": each(jnp.sinh, jnp.cosh, jnp.tanh),
        "circular": each(jnp.sin, jnp.cos, jnp.tan),
        "inverse hyperbolic": each(jnp.arcsinh, jnp.arccosh, jnp.arctanh),
        "inverse circular": each(jnp.arcsin, jnp.arccos, jnp.arctan),
    },
}
OF_TWO: Mapping[str, Mapping[str, Callable[..., Any]]] = {
    "torch": {
        "products": each(torch.mul, torch.div, lambda x, y: x * 2j, lambda x, y: x / 3),
        "sums": each(torch.add, torch.sub),
        "comparisons": each(torch.eq, torch.ne, torch.logical_and, torch.logical_or),
        "powers": each(torch.pow, lambda x, y: x**2, lambda x, y: x**-1, lambda x, y: x**0.5),
    },
    "jax": {
        "products": each(jnp.multiply, jnp.divide, lambda x, y: x * 2j, lambda x, y: x / 3),
        "sums": each(jnp.add, jnp.subtract),
        "comparisons": each(jnp.equal, jnp.not_equal, jnp.logical_and, jnp.logical_or),
        "powers": each(jnp.power, lambda x, y: x**2, lambda x, y: x**-1, lambda x, y: x**0.5),
    },
}

# Where the framework itself is at fault, or gives what another of its kernels does not.
UNDECIDED = {
    ("torch", "sums", "infinite"): "torch multiplies by alpha = 1: 0 times infinity is NaN",
    ("torch", "hyperbolic", "infinite"): "C99 leaves open which part is infinite",
    ("torch", "circular", "infinite"): "as above",
    ("torch", "powers", "infinite"): "torch's sgn and pow differ with the width of a vector",
    ("torch", "powers", "extreme"): "as above",
    ("jax", "products", "extreme"): "XLA contracts to a fused multiply-add, and flushes denormals",
    ("jax", "powers", "extreme"): "XLA flushes denormals",
    ("jax", "powers", "infinite"): "XLA's power of an infinity is NaN or not by the exponent",
    ("jax", "products", "infinite"): "XLA's C99 rules for two infinite parts",
    ("jax", "parts", "extreme"): "XLA flushes denormals",
    ("jax", "hyperbolic", "extreme"): "XLA's sinh of small numbers is e^x - e^-x",
    ("jax", "logarithm", "extreme"): "XLA flushes denormals",
    ("jax", "inverse hyperbolic", "extreme"): "XLA flushes denormals",
    ("jax", "inverse circular", "extreme"): "XLA flushes denormals",
    ("jax", "inverse hyperbolic", "infinite"): "XLA's signed zeros at cuts beyond infinity",
    ("jax", "inverse circular", "infinite"): "as above",
}  # fmt: skip


# -- rearrangements, reductions, products

Z, W = seeded(3, 4), seeded(3, 4, seed=1)
ROWS, COLUMNS = np.array([2, 0]), np.array([[0], [3], [1]])


def _of_torch() -> dict[str, Callable[..., Any]]:
    rows, columns = torch.from_numpy(ROWS), torch.from_numpy(COLUMNS)
    real = torch.from_numpy(Z.real.copy())

    def written(z, w):
        z = z.clone()
        z.real.add_(1)
        z.imag.mul_(2)
        z[0] *= 1j
        z.mT[1:2].conj().add_(3 + 1j)
        z.conj().imag.add_(5)
        z.transpose_(0, -1)
        return z

    def gradient(z, w):
        z = z.clone().requires_grad_()
        with torch.enable_grad():
            loss = (z * z.conj()).real.sum() + (z @ w.mT).abs().sum() + z.exp().angle().sum()
        return torch.autograd.grad(loss, z)

    def pulled(function, z):
        z = z.clone().requires_grad_()
        with torch.enable_grad():
            result = function(z)
        return torch.autograd.grad(result, z, torch.full_like(result, 1 - 2j))[0]

    return {
        "views": lambda z, w: (
            z.T, z[:, 1:3], z.reshape(2, -1), z.roll(1, 0), torch.cat([z, real]), z.flip(-1),
            torch.stack([z, w]), z[..., ::2], z.unsqueeze(-1).expand(3, 4, 2), z.unbind(1)[2],
            z.diagonal(), z.repeat(2, 1), z.tril(), torch.nn.functional.pad(z, (1, 2)),
            z.unfold(1, 2, 1),
        ),
        "places": lambda z, w: (
            z[rows], z.gather(1, columns), z.index_select(0, rows), z.masked_fill(real > 0, 1j),
            torch.where(real > 0, z, w), z.index_put((rows,), w[:2]), z.index_add(0, rows, w[:2]),
            z.index_put((torch.tensor([0, 0]),), w[:2], accumulate=True),
        ),
        "to and from real": lambda z, w: (
            z.to(torch.complex128), z.to(torch.float32), torch.polar(real, real), z + real,
            torch.complex(real, real), torch.view_as_real(z), real * 1j, real == (1 + 0j),
            torch.full((2,), 1 + 2j) * z[0, 0], torch.ones_like(z) + torch.tensor(2j),
        ),
        "reductions": lambda z, w: (
            z.sum(), z.mean(0), z.var(), z.std(0), z.cumsum(-1), z.any(), z.all(0),
            torch.linalg.vector_norm(z, dim=1), *torch.var_mean(z, -1),
        ),
        "products": lambda z, w: (
            z.prod(), z.prod(0), z.prod(1, keepdim=True), z.cumprod(1), z.flip(0).cumprod(0),
            real.prod(1, dtype=z.dtype), real.cumprod(0, dtype=z.dtype),
            z[:0].prod(0), w[0, 0].prod(), w[0, 0].cumprod(0),
        ),
        "gradients of products": lambda z, w: (
            pulled(lambda v: v.prod(), z), pulled(lambda v: v.prod(1), z * (real > -1)),
            pulled(lambda v: v.cumprod(0), w), pulled(lambda v: v.cumprod(1), z * (real > -1)),
        ),
        "matrix products": lambda z, w: (
            z @ w.T, z.conj() @ z.T, torch.vdot(z[0], w[0]), torch.dot(z[0], w[1].conj()),
            torch.einsum("ij,kj->ik", z, w.conj()), torch.outer(z[0], w[1]), z @ w[0],
            torch.addmm(z[:, :3], z, w.T, beta=2j, alpha=0.5), z[None] @ w.T[None],
        ),
        "writes": written,
        "gradient": gradient,
    }  # fmt: skip


def _of_jax() -> dict[str, Callable[..., Any]]:
    real = jnp.asarray(Z.real)
    return {
        "views": lambda z, w: (
            z.T, z[:, 1:3], z.reshape(2, 6), jnp.concatenate([z, w]), jnp.stack([z, w]), z[::-1],
            jnp.pad(z, 1), jnp.tile(z, (2, 2)), jnp.roll(z, 1), jnp.broadcast_to(z, (2, 3, 4)),
            lax.dynamic_slice(z, (0, 1), (2, 2)), lax.dynamic_update_slice(z, w[:2, :2], (1, 1)),
        ),
        "places": lambda z, w: (
            z[ROWS], z[5], jnp.take(z, jnp.array([0, 9]), axis=0), z.at[1].set(0),
            z.at[jnp.array([0, 0])].add(1j), jnp.where(real > 0, z, 0), jnp.sort(z * 0 + w.real),
            jnp.sort(jnp.stack([z, z.conj()]), axis=0),
        ),
        "to and from real": lambda z, w: (
            z.real, lax.complex(real, real), z + real, 1j * real, z.astype(bool), z == real,
        ),
        "reductions": lambda z, w: (
            z.sum(), z.mean(0), jnp.var(z), jnp.std(z, 0), jnp.cumsum(z, 1), jnp.linalg.norm(z),
            z.any(),
        ),
        "products": lambda z, w: (
            z.prod(), jnp.prod(z, 0), jnp.prod(z, (0, 1)), jnp.cumprod(z, 1),
            lax.cumprod(z, 0, reverse=True), jnp.prod(z[:0], 0),
        ),
        "gradients of products": lambda z, w: tuple(
            jax.vjp(f, z)[1](jnp.full_like(f(z), 1 - 2j))[0]
            for f in (jnp.prod, lambda v: v.prod(1), lambda v: jnp.cumprod(v, 0))
        ),
        "matrix products": lambda z, w: (
            z @ w.T, jnp.vdot(z, w), jnp.einsum("ij,kj->ik", z, w.conj()), real @ z.T,
            jnp.einsum("ij,ij->i", z, w),
        ),
        "loops": lambda z, w: (
            lax.scan(lambda c, v: (c * 1j + v, c), jnp.zeros(4, z.dtype), z),
            lax.fori_loop(0, 5, lambda i, c: c * c + z, jnp.zeros_like(z)),
            lax.cond(real[0, 0] > 0, lambda a: a * 2, lambda a: a + 1j, z),
        ),
        "gradient": jax.grad(lambda z, w: jnp.abs(z @ w.T).sum() + jnp.abs(jnp.exp(z)).sum()),
    }  # fmt: skip


WHOLE: Mapping[str, Mapping[str, Callable[..., Any]]] = {"torch": _of_torch(), "jax": _of_jax()}


def given(framework: str, *arrays: np.ndarray) -> list[Any]:
    """The arrays as the framework has them."""
    return [torch.from_numpy(x.copy()) if framework == "torch" else jnp.asarray(x) for x in arrays]
