"""Operations on the positions of elements: nonzero, masked_scatter and the like."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def _nonzero_static(x: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The places of the first `size` that are not zero, in order; `fill_value` where there are
    fewer."""
    flat = (x != 0).reshape(-1)
    count = flat.shape[0]
    # What is not asked for goes past the end.
    rank = torch.where(flat, flat.cumsum(0) - 1, size).clamp_max(size)
    first = torch.full((size + 1,), -1).scatter(0, rank, torch.arange(count)).narrow(0, 0, size)
    columns, rest = [], first
    for length in reversed(x.shape):
        columns.append(rest % max(1, length))
        rest = rest // max(1, length)
    if not columns:
        return torch.zeros(size, 0, dtype=torch.int64)
    found = torch.stack(columns[::-1], 1)
    return torch.where((first < 0).unsqueeze(1), fill_value, found)


def _masked_scatter(x: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The next of `source` wherever the mask holds."""
    x, mask = torch.broadcast_tensors(x, mask)
    if not source.numel():
        return x.clone()
    rank = mask.reshape(-1).cumsum(0).reshape(mask.shape) - 1
    taken = _take(source, rank.clamp(0, source.numel() - 1))
    return torch.where(mask, taken, x)


def _masked_scatter_backward(grad: Tensor, mask: Tensor, sizes: Sequence[int]) -> Tensor:
    mask = mask.expand_as(grad).reshape(-1)
    count = torch.Size(sizes).numel()
    rank = torch.where(mask, mask.cumsum(0) - 1, count).clamp_max(count)
    zeros = torch.zeros(count + 1, dtype=grad.dtype)
    return zeros.scatter(0, rank, grad.reshape(-1)).narrow(0, 0, count).reshape(sizes)


def _put(x: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    flat = x.reshape(-1).index_put((index.reshape(-1),), source.reshape(-1), accumulate)
    return flat.reshape(x.shape)


def _take(x: Tensor, index: Tensor) -> Tensor:
    if not index.numel():
        return x.new_zeros(index.shape)
    # Not x[index], which asks an index without dimensions for its value.
    result: Tensor = torch.ops.aten.index(x.reshape(-1), [index])
    return result


def _slice_scatter(
    x: Tensor, source: Tensor, dim: int = 0, start: int | None = None, end: int | None = None,
    step: int = 1,
) -> Tensor:  # fmt: skip
    """By a write to the part, which is what it is the functional form of."""
    result = x.clone()
    torch.ops.aten.slice(result, dim, start, end, step).copy_(source)
    return result


def _diagonal_scatter(
    x: Tensor, source: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    result = x.clone(memory_format=torch.contiguous_format)
    result.diagonal(offset, dim1, dim2).copy_(source)
    return result


def _as_strided_copy(
    x: Tensor, size: Sequence[int], stride: Sequence[int], offset: int | None = None
) -> Tensor:
    return x.as_strided(size, stride, offset).clone(memory_format=torch.contiguous_format)


def _as_strided_scatter(
    x: Tensor, source: Tensor, size: Sequence[int], stride: Sequence[int],
    offset: int | None = None,
) -> Tensor:  # fmt: skip
    """In a copy of the memory that `x` is in, from its begin: what is between the elements of `x`
    may be written to, and is not seen."""
    start, last = x.storage_offset(), zip(x.shape, x.stride(), strict=True)
    length = start + 1 + sum((n - 1) * step for n, step in last) if x.numel() else start
    memory = x.new_zeros(length)
    result = memory.as_strided(x.shape, x.stride(), start)
    result.copy_(x)
    memory.as_strided(size, stride, start if offset is None else offset).copy_(source)
    return result.clone()


def _isin(
    elements: Tensor, tests: Tensor, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """By a search in the sorted tests."""
    if not tests.numel():
        return torch.full_like(elements, invert, dtype=torch.bool)
    dtype = torch.result_type(elements, tests)
    ordered, wanted = tests.reshape(-1).to(dtype).sort().values, elements.to(dtype)
    at = torch.searchsorted(ordered, wanted).clamp_max(ordered.shape[0] - 1)
    return (_take(ordered, at) == wanted) ^ invert


def _repeats(repeats: Tensor, *, output_size: int) -> Tensor:
    """The place of each number, as often as it says; `output_size` is their sum."""
    return torch.searchsorted(repeats.cumsum(0), torch.arange(output_size), right=True)


def _mode(x: Tensor, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The most frequent of each row, the least of several, and a place that it is at, of which
    torch promises none: the end of the longest run of the row in order."""
    if not x.dim():
        return x.clone(), torch.zeros((), dtype=torch.int64)
    ordered, places = x.sort(dim=dim)
    shape = [1] * x.dim()
    shape[dim] = -1
    at = torch.arange(x.shape[dim]).reshape(shape).expand(x.shape)
    before = torch.where(at == 0, 0, at - 1)
    begins = (at == 0) | (ordered != ordered.gather(dim, before))
    start = torch.where(begins, at, 0).cummax(dim).values
    end = (at - start).argmax(dim, keepdim=True)
    found = ordered.gather(dim, end), places.gather(dim, end)
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


TABLE: dict[str, Callable[..., object]] = {
    "nonzero_static": _nonzero_static,
    "masked_scatter": _masked_scatter,
    "masked_scatter_backward": _masked_scatter_backward,
    "put": _put,
    "take": _take,
    "slice_scatter": _slice_scatter,
    "diagonal_scatter": _diagonal_scatter,
    "as_strided_copy": _as_strided_copy,
    "as_strided_scatter": _as_strided_scatter,
    "isin.Tensor_Tensor": _isin,
    "repeat_interleave.Tensor": _repeats,
    "mode": _mode,
}
