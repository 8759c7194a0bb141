"""Steps of random torch programs: arithmetic, views, writes in place, indices that are values,
reductions, scans, products and conversions."""

import random
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from conformance.programs import Kind

Given = tuple[Any, ...]


def _nothing(rng: random.Random, *xs: Tensor) -> Given:
    return ()


def _dim(rng: random.Random, x: Tensor, *_: Tensor) -> Given | None:
    return (rng.randrange(-x.dim(), x.dim()),) if x.dim() else None


def _dim_and(low: int, high: int) -> Callable[..., Given | None]:
    """A dimension, and a number in low to high."""

    def draw(rng: random.Random, x: Tensor, *_: Tensor) -> Given | None:
        at = _dim(rng, x)
        return None if at is None else (*at, rng.randint(low, high))

    return draw


def _of(low: int, high: int) -> Callable[..., Given]:
    return lambda rng, *xs: (rng.randint(low, high),)


def _slice(rng: random.Random, x: Tensor) -> Given | None:
    if not x.dim():
        return None
    dim = rng.randrange(x.dim())
    start = rng.randint(0, x.shape[dim])
    return dim, start, rng.randint(start, x.shape[dim]), rng.randint(1, 3)


def _sliced(x: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    return x[(slice(None),) * dim + (slice(start, end, step),)]


def _shape(rng: random.Random, x: Tensor) -> Given | None:
    count, sizes = x.numel(), []
    for _ in range(rng.randint(0, 3)):
        size = rng.choice([d for d in range(1, count + 1) if count % d == 0] or [0])
        sizes.append(size)
        count //= max(1, size)
    return ((*sizes, count),)


def _permutation(rng: random.Random, x: Tensor) -> Given:
    return (tuple(rng.sample(range(x.dim()), x.dim())),)


def _pads(rng: random.Random, x: Tensor) -> Given | None:
    return (tuple(rng.randint(-1, 2) for _ in range(2)),) if x.dim() else None


def _index(x: Tensor, like: Tensor, dim: int) -> Tensor:
    """Places along a dimension, made of the elements of another tensor."""
    return like.to(torch.int64).remainder(x.shape[dim])


def _taken(x: Tensor, like: Tensor, dim: int) -> Tensor:
    return x.index_select(dim, _index(x, like.reshape(-1), dim))


def _gathered(x: Tensor, dim: int, by: int) -> Tensor:
    return x.gather(dim, (_index(x, x, dim) + by).remainder(x.shape[dim]))


def _scattered(x: Tensor, dim: int, by: int) -> Tensor:
    index = (_index(x, x, dim) + by).remainder(x.shape[dim])
    return torch.zeros_like(x).scatter_add(dim, index, x)


def _put(x: Tensor, y: Tensor) -> Tensor:
    index = _index(x, y.reshape(-1), 0)
    values = torch.ones((index.numel(), *x.shape[1:]), dtype=x.dtype)
    return x.index_put((index,), values, accumulate=True)


def _write(x: Tensor, dim: int, start: int, end: int, step: int) -> Tensor:
    part = _sliced(x, dim, start, end, step)
    part.copy_(part * 2 + 1)
    return x


def _add_to(x: Tensor, y: Tensor) -> Tensor:
    return x.add_(y)


def _floats(x: Tensor) -> Tensor:
    """Bounded, so that no later step overflows."""
    return torch.tanh(x if x.is_floating_point() else x.float())


def _product(x: Tensor, y: Tensor) -> Tensor:
    x, y = _floats(x), _floats(y)
    return torch.matmul(x, y.to(x.dtype))


_TYPES = (torch.float32, torch.float64, torch.bfloat16, torch.int32, torch.int64, torch.uint8)


def _type(rng: random.Random, x: Tensor) -> Given:
    return (rng.choice(_TYPES[:3] if x.is_floating_point() else _TYPES),)


TABLE: dict[str, Kind] = {
    # arithmetic
    "add": Kind(_nothing, torch.add, 2, exact=True),
    "sub": Kind(_nothing, lambda x, y: torch.sub(x, y + 0), 2, exact=True),
    "maximum": Kind(_nothing, torch.maximum, 2, exact=True),
    "mul": Kind(_of(-2, 2), torch.mul, exact=True),
    "tanh": Kind(_nothing, torch.tanh),
    "exp": Kind(_nothing, lambda x: torch.exp(-torch.abs(x))),
    "abs": Kind(_nothing, torch.abs, exact=True),
    "relu": Kind(_nothing, F.relu, exact=True),
    "divide": Kind(_nothing, lambda x, y: x / (1 + y.abs()), 2),
    "where": Kind(_nothing, lambda x, y: torch.where(x > y, x, y * 2), 2, exact=True, jumps=True),
    "floor": Kind(_nothing, lambda x: torch.floor(x / 2), exact=True, jumps=True),
    "remainder": Kind(_of(2, 5), torch.remainder, exact=True, jumps=True),
    "compare": Kind(_nothing, torch.ge, 2, exact=True, jumps=True),
    "type": Kind(_type, lambda x, t: x.to(t)),
    "whole": Kind(_nothing, lambda x: x.to(torch.int32), exact=True, jumps=True),
    # views
    "transpose": Kind(_permutation, lambda x, p: x.permute(p), exact=True),
    "slice": Kind(_slice, _sliced, exact=True),
    "reshape": Kind(_shape, lambda x, s: x.reshape(s), exact=True),
    "unsqueeze": Kind(_dim, lambda x, d: x.unsqueeze(d), exact=True),
    "expand": Kind(_of(1, 3), lambda x, n: x.expand(n, *x.shape), exact=True),
    "flip": Kind(_dim, lambda x, d: x.flip(d), exact=True),
    "roll": Kind(_dim_and(-3, 3), lambda x, d, n: x.roll(n, d), exact=True),
    "diagonal": Kind(_of(-1, 1), lambda x, n: x.diagonal(n), exact=True),
    "windows": Kind(_dim_and(1, 3), lambda x, d, n: x.unfold(d, n, 1), exact=True),
    "select": Kind(_dim_and(-1, 0), lambda x, d, i: x.select(d, i), exact=True),
    # what makes new tensors of others
    "cat": Kind(_dim, lambda x, y, d: torch.cat([x, y, x], d), 2, exact=True),
    "stack": Kind(_dim, lambda x, d: torch.stack([x, x * 2], d), exact=True),
    "pad": Kind(_pads, lambda x, p: F.pad(x, p, value=1), exact=True),
    "tril": Kind(_of(-1, 1), torch.tril, exact=True),
    "repeat": Kind(_dim_and(1, 3), lambda x, d, n: x.repeat_interleave(n, d), exact=True),
    # reductions and scans
    "sum": Kind(_dim, lambda x, d: x.sum(d), exact=True),
    "mean": Kind(_dim, lambda x, d: x.double().mean(d)),
    "amax": Kind(_dim, lambda x, d: x.amax(d), exact=True),
    "total": Kind(_nothing, lambda x: x.sum(), exact=True),
    "any": Kind(_dim, lambda x, d: (x > 0).any(d), exact=True, jumps=True),
    "argmax": Kind(_dim, lambda x, d: x.argmax(d), exact=True, jumps=True),
    "cumsum": Kind(_dim, lambda x, d: x.cumsum(d), exact=True),
    "cummax": Kind(_dim, lambda x, d: x.cummax(d).values, exact=True),
    "softmax": Kind(_dim, lambda x, d: torch.softmax(x.float(), d)),
    "var": Kind(_dim, lambda x, d: torch.var(_floats(x), d, correction=0)),
    "sort": Kind(_dim, lambda x, d: torch.sort(x, dim=d, stable=True).values, exact=True),
    # indices that are values
    "take": Kind(_dim, _taken, 2, exact=True, jumps=True),
    "gather": Kind(_dim_and(0, 2), _gathered, exact=True, jumps=True),
    "scatter_add": Kind(_dim_and(0, 2), _scattered, exact=True, jumps=True),
    "index_put": Kind(_nothing, _put, 2, exact=True, jumps=True),
    "masked_fill": Kind(_nothing, lambda x: x.masked_fill(x > 1, 3), exact=True, jumps=True),
    # writes
    "clone": Kind(_nothing, torch.clone, exact=True),
    "write": Kind(_slice, _write, exact=True),
    "add_": Kind(_nothing, _add_to, 2, exact=True),
    "mul_": Kind(_of(-2, 2), lambda x, n: x.mul_(n), exact=True),
    "zero_": Kind(_dim_and(-1, 0), lambda x, d, i: x.select(d, i).zero_(), exact=True),
    # products
    "matmul": Kind(_nothing, _product, 2),
}
