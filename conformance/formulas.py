"""Formulas as people write them in torch and in JAX: both frameworks' own lowering has to agree."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
import torch
from jax import lax
from jax import numpy as jnp
from torch.nn import functional as F

from conformance import chance
from conformance.sample import FormulaSample, Sample

Array = np.ndarray
VARIANTS = ("torch and JAX",)


@dataclass(frozen=True)
class Formula:
    """The same function of the same arrays: `shapes` are those of f32 inputs; of i64 ones, which
    come after them, `indices` has the shapes, and what they are below."""

    torch: Callable[..., Any]
    jax: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    indices: tuple[tuple[tuple[int, ...], int], ...] = ()

    def inputs(self) -> tuple[Array, ...]:
        """The same at every call."""
        random = np.random.RandomState(chance.number("formula"))
        floats = (random.standard_normal(s).astype("f4") for s in self.shapes)
        whole = (random.randint(0, below, s) for s, below in self.indices)
        return (*floats, *(x.astype("i4") for x in whole))


X, ROW, SQUARE = (6, 8), (8,), (8, 8)


def _attention_torch(q: Any, k: Any, v: Any) -> Any:
    return torch.softmax(q @ k.transpose(-1, -2) / 4.0, -1) @ v


def _attention_jax(q: Any, k: Any, v: Any) -> Any:
    return jax.nn.softmax(q @ k.swapaxes(-1, -2) / 4.0, -1) @ v


def _layer_norm_torch(x: Any, w: Any, b: Any) -> Any:
    mean = x.mean(-1, keepdim=True)
    return (x - mean) * torch.rsqrt(((x - mean) ** 2).mean(-1, keepdim=True) + 1e-5) * w + b


def _layer_norm_jax(x: Any, w: Any, b: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * w + b


def _rms_norm_torch(x: Any, w: Any) -> Any:
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * w


def _rms_norm_jax(x: Any, w: Any) -> Any:
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w


def _cross_entropy_torch(x: Any, labels: Any) -> Any:
    logs = torch.log_softmax(x, -1)
    return -logs.gather(1, labels.long()[:, None]).mean()


def _cross_entropy_jax(x: Any, labels: Any) -> Any:
    logs = jax.nn.log_softmax(x, -1)
    return -jnp.take_along_axis(logs, labels[:, None], 1).mean()


def _segments_torch(x: Any, to: Any) -> Any:
    return x.new_zeros(4, 8).index_add(0, to, x)


def _segments_jax(x: Any, to: Any) -> Any:
    return jnp.zeros((4, 8)).at[to].add(x)


def _loss_torch(w: Any, x: Any) -> Any:
    return torch.func.grad(lambda w: (torch.tanh(x @ w) ** 2).sum())(w)


def _loss_jax(w: Any, x: Any) -> Any:
    return jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).sum())(w)


def _steps_torch(x: Any) -> Any:
    for _ in range(3):
        x = x - 0.1 * torch.sin(x) * x
    return x


def _steps_jax(x: Any) -> Any:
    for _ in range(3):
        x = x - 0.1 * jnp.sin(x) * x
    return x


def _causal_torch(x: Any) -> Any:
    return torch.softmax(x.masked_fill(torch.ones(8, 8).triu(1).bool(), float("-inf")), -1)


def _causal_jax(x: Any) -> Any:
    return jax.nn.softmax(jnp.where(jnp.triu(jnp.ones((8, 8)), 1).astype(bool), -jnp.inf, x), -1)


FORMULAS: dict[str, Formula] = {
    # elementwise
    "relu": Formula(torch.relu, jax.nn.relu, (X,)),
    "gelu": Formula(F.gelu, lambda x: jax.nn.gelu(x, approximate=False), (X,)),
    "gelu tanh": Formula(lambda x: F.gelu(x, approximate="tanh"), jax.nn.gelu, (X,)),
    "silu": Formula(F.silu, jax.nn.silu, (X,)),
    "sigmoid": Formula(torch.sigmoid, jax.nn.sigmoid, (X,)),
    "softplus": Formula(F.softplus, jax.nn.softplus, (X,)),
    "elu": Formula(F.elu, jax.nn.elu, (X,)),
    "leaky relu": Formula(F.leaky_relu, jax.nn.leaky_relu, (X,)),
    "hard tanh": Formula(F.hardtanh, jax.nn.hard_tanh, (X,)),
    "clip": Formula(lambda x: x.clamp(-1, 0.5), lambda x: jnp.clip(x, -1, 0.5), (X,)),
    "polynomial": Formula(
        lambda x: 3 * x**3 - 2 * x**2 + x - 1, lambda x: 3 * x**3 - 2 * x**2 + x - 1, (X,)
    ),
    "where": Formula(
        lambda x, y: torch.where(x > y, x, -y), lambda x, y: jnp.where(x > y, x, -y), (X, X)
    ),
    "atan2": Formula(torch.atan2, jnp.arctan2, (X, X)),
    "hypot": Formula(torch.hypot, jnp.hypot, (X, X)),
    "floor mod": Formula(lambda x: torch.floor(x * 4) % 3, lambda x: jnp.floor(x * 4) % 3, (X,)),
    "bias and tanh": Formula(
        lambda x, b: torch.tanh(x + b), lambda x, b: jnp.tanh(x + b), (X, ROW)
    ),
    # reductions and scans
    "sum": Formula(lambda x: x.sum(0), lambda x: x.sum(0), (X,)),
    "mean": Formula(lambda x: x.mean(-1), lambda x: x.mean(-1), (X,)),
    "variance": Formula(lambda x: x.var(-1), lambda x: x.var(-1, ddof=1), (X,)),
    "norm": Formula(
        lambda x: torch.linalg.vector_norm(x, dim=-1), lambda x: jnp.linalg.norm(x, axis=-1), (X,)
    ),
    "logsumexp": Formula(lambda x: torch.logsumexp(x, -1), lambda x: jax.nn.logsumexp(x, -1), (X,)),
    "softmax": Formula(lambda x: torch.softmax(x, -1), lambda x: jax.nn.softmax(x, -1), (X,)),
    "log softmax": Formula(
        lambda x: torch.log_softmax(x, 0), lambda x: jax.nn.log_softmax(x, 0), (X,)
    ),
    "arg max": Formula(lambda x: x.argmax(-1), lambda x: x.argmax(-1), (X,)),
    "any": Formula(lambda x: (x > 2).any(0), lambda x: (x > 2).any(0), (X,)),
    "running sum": Formula(lambda x: x.cumsum(1), lambda x: x.cumsum(1), (X,)),
    "running product": Formula(lambda x: x.cumprod(0), lambda x: x.cumprod(0), (X,)),
    "running maximum": Formula(lambda x: x.cummax(0).values, lambda x: lax.cummax(x, 0), (X,)),
    "sort": Formula(lambda x: x.sort(-1).values, lambda x: jnp.sort(x, -1), (X,)),
    "top k": Formula(lambda x: x.topk(3).values, lambda x: lax.top_k(x, 3)[0], (X,)),
    # moved elements
    "transposed": Formula(lambda x: x.T + 1, lambda x: x.T + 1, (X,)),
    "heads": Formula(
        lambda x: x.reshape(6, 2, 4).permute(1, 0, 2),
        lambda x: x.reshape(6, 2, 4).transpose(1, 0, 2),
        (X,),
    ),
    "cat": Formula(
        lambda x, y: torch.cat([x, y * 2], 1), lambda x, y: jnp.concatenate([x, y * 2], 1), (X, X)
    ),
    "pad": Formula(
        lambda x: F.pad(x, (1, 2), value=3.0),
        lambda x: jnp.pad(x, ((0, 0), (1, 2)), constant_values=3.0),
        (X,),
    ),
    "roll": Formula(lambda x: x.roll(2, 1), lambda x: jnp.roll(x, 2, 1), (X,)),
    "flip": Formula(lambda x: x.flip(0), lambda x: jnp.flip(x, 0), (X,)),
    "lower triangle": Formula(torch.tril, jnp.tril, (SQUARE,)),
    "rotary": Formula(
        lambda x: torch.cat([-x[..., 4:], x[..., :4]], -1) * 0.5 + x,
        lambda x: jnp.concatenate([-x[..., 4:], x[..., :4]], -1) * 0.5 + x,
        (X,),
    ),
    # computed indices
    "embedding": Formula(lambda t, i: t[i.long()], lambda t, i: t[i], (X,), (((5,), 6),)),
    "one hot": Formula(
        lambda x, i: F.one_hot(i.long(), 8).float() * x,
        lambda x, i: jax.nn.one_hot(i, 8) * x,
        (X,),
        (((6,), 8),),
    ),
    "segment sum": Formula(_segments_torch, _segments_jax, (X,), (((6,), 4),)),
    "cross entropy": Formula(_cross_entropy_torch, _cross_entropy_jax, (X,), (((6,), 8),)),
    # products
    "matrix product": Formula(torch.matmul, jnp.matmul, (X, SQUARE)),
    "batched product": Formula(torch.matmul, jnp.matmul, ((3, 4, 5), (3, 5, 6))),
    "einsum": Formula(
        lambda x, y: torch.einsum("bij,kj->bik", x, y),
        lambda x, y: jnp.einsum("bij,kj->bik", x, y),
        ((2, 4, 5), (3, 5)),
    ),
    "outer product": Formula(torch.outer, jnp.outer, (ROW, (5,))),
    "linear and relu": Formula(
        lambda x, w, b: torch.relu(x @ w + b),
        lambda x, w, b: jax.nn.relu(x @ w + b),
        (X, SQUARE, ROW),
    ),
    "attention": Formula(_attention_torch, _attention_jax, ((2, 5, 16), (2, 7, 16), (2, 7, 16))),
    "convolution": Formula(
        lambda x, w: F.conv2d(x, w, padding=1),
        lambda x, w: lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1))),
        ((2, 3, 6, 7), (4, 3, 3, 3)),
    ),
    "max pool": Formula(
        lambda x: F.max_pool2d(x, 2),
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"),
        ((2, 3, 6, 8),),
    ),
    # programs
    "layer norm": Formula(_layer_norm_torch, _layer_norm_jax, (X, ROW, ROW)),
    "rms norm": Formula(_rms_norm_torch, _rms_norm_jax, (X, ROW)),
    "squared error": Formula(
        lambda x, y: ((x - y) ** 2).mean(), lambda x, y: ((x - y) ** 2).mean(), (X, X)
    ),
    "huber": Formula(
        lambda x: torch.where(x.abs() < 1, 0.5 * x * x, x.abs() - 0.5).sum(),
        lambda x: jnp.where(jnp.abs(x) < 1, 0.5 * x * x, jnp.abs(x) - 0.5).sum(),
        (X,),
    ),
    "distances": Formula(
        lambda x, y: ((x[:, None] - y[None]) ** 2).sum(-1),
        lambda x, y: ((x[:, None] - y[None]) ** 2).sum(-1),
        (X, (5, 8)),
    ),
    "causal softmax": Formula(_causal_torch, _causal_jax, (SQUARE,)),
    "gradient": Formula(_loss_torch, _loss_jax, (SQUARE, X)),
    "steps": Formula(_steps_torch, _steps_jax, (X,)),
}


def entries(variant: str) -> list[str]:
    return list(FORMULAS)


def samples(entry: str, variant: str) -> Iterator[FormulaSample]:
    """One, with the same arrays for both."""
    formula = FORMULAS[entry]
    arrays = formula.inputs()
    tensors = tuple(torch.from_numpy(x) for x in arrays)
    yield FormulaSample(
        entry,
        Sample(entry, "torch", formula.torch, tensors),
        Sample(entry, "jax", formula.jax, arrays),
    )
