"""Histograms: the number of elements, or the sum of their weights, in each bin. A bin includes its
left edge, the last one both edges; elements outside of all bins, and NaN, are not counted."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Ends = tuple[Tensor, Tensor]


def _ends(x: Tensor, given: tuple[float, float] | None, apart: float) -> Ends:
    """The outermost edges: `given`, else those of the data; `apart` from a single value."""
    if given is not None:
        low, high = (torch.full((), float(end), dtype=x.dtype) for end in given)
    elif x.numel():
        low, high = torch.aminmax(x)
    else:
        low, high = torch.zeros((), dtype=x.dtype), torch.ones((), dtype=x.dtype)
    same = low == high
    return torch.where(same, low - apart, low), torch.where(same, high + apart, high)


def _edges(ends: Ends, bins: int) -> Tensor:
    """Evenly spaced, counted from the nearer end, as torch.linspace counts."""
    low, high = ends
    step, at = (high - low) / bins, torch.arange(bins + 1, dtype=low.dtype)
    upper = high - step * (bins - at)
    return torch.where(at < (bins + 1) // 2, low + step * at, upper)


def _histc(x: Tensor, bins: int = 100, low: float = 0, high: float = 0) -> Tensor:
    flat = x.reshape(-1)
    given = None if low == high and x.numel() else (low, high)
    first, last = _ends(flat, given, 1)
    inside = (flat >= first) & (flat <= last)
    # In the order of torch's own arithmetic: the rounding decides between two bins.
    place = torch.where(inside, (flat - first) * bins / (last - first), 0).long()
    return _counted(place.clamp(0, bins - 1), inside, bins, None, x.dtype)


def _counted(
    place: Tensor, inside: Tensor, bins: int, weight: Tensor | None, dtype: torch.dtype
) -> Tensor:
    each = inside if weight is None else torch.where(inside, weight.reshape(-1), 0)
    return torch.zeros(bins, dtype=dtype).index_add(0, place, each.to(dtype))


def _place(x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
    """The bin of each element, and whether it is in one."""
    inside = (x >= edges[0]) & (x <= edges[-1])
    place = torch.searchsorted(edges, x, right=True) - 1
    return place.clamp(0, edges.shape[0] - 2), inside


def _density(hist: Tensor, edges: Sequence[Tensor]) -> Tensor:
    hist = hist / hist.sum()
    for dim, each in enumerate(edges):
        around = [1] * hist.dim()
        around[dim] = -1
        hist = hist / (each[1:] - each[:-1]).reshape(around)
    return hist


def _of_points(x: Tensor, edges: Sequence[Tensor], weight: Tensor | None, density: bool) -> Tensor:
    """The last dimension of `x` has a point's coordinates, one for each of `edges`."""
    points = x.reshape(-1, len(edges))
    sizes = [each.shape[0] - 1 for each in edges]
    place, inside = _place(points[:, 0].contiguous(), edges[0])
    for d in range(1, len(edges)):
        next_place, next_inside = _place(points[:, d].contiguous(), edges[d])
        place, inside = place * sizes[d] + next_place, inside & next_inside
    hist = _counted(place, inside, math.prod(sizes), weight, x.dtype).reshape(sizes)
    return _density(hist, edges) if density else hist


def _even(x: Tensor, bins: Sequence[int], span: Sequence[float] | None) -> list[Tensor]:
    """The edges of each coordinate."""
    points = x.reshape(-1, len(bins))
    given = [None if span is None else (span[2 * d], span[2 * d + 1]) for d in range(len(bins))]
    return [_edges(_ends(points[:, d], given[d], 0.5), n) for d, n in enumerate(bins)]


def _histogram(
    x: Tensor, bins: int = 100, *, range: Sequence[float] | None = None,  # noqa: A002
    weight: Tensor | None = None, density: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    edges = _even(x.reshape(-1, 1), [bins], range)
    return _of_points(x.reshape(-1, 1), edges, weight, density), edges[0]


def _histogram_of_edges(
    x: Tensor, bins: Tensor, *, weight: Tensor | None = None, density: bool = False
) -> tuple[Tensor, Tensor]:
    return _of_points(x.reshape(-1, 1), [bins], weight, density), bins.clone()


def _histogramdd(
    x: Tensor, bins: Sequence[int], *, range: Sequence[float] | None = None,  # noqa: A002
    weight: Tensor | None = None, density: bool = False,
) -> Tensor:  # fmt: skip
    return _of_points(x, _even(x, bins, range), weight, density)


def _bin_edges(
    x: Tensor, bins: Sequence[int], *, range: Sequence[float] | None = None,  # noqa: A002
    weight: Tensor | None = None, density: bool = False,
) -> list[Tensor]:  # fmt: skip
    return _even(x, bins, range)


def _histogramdd_of_edges(
    x: Tensor, bins: Sequence[Tensor], *, weight: Tensor | None = None, density: bool = False
) -> Tensor:
    return _of_points(x, bins, weight, density)


TABLE: dict[str, Callable[..., object]] = {
    "histc": _histc,
    "histogram.bin_ct": _histogram,
    "histogram.bins_tensor": _histogram_of_edges,
    "_histogramdd_bin_edges": _bin_edges,
    "_histogramdd_from_bin_cts": _histogramdd,
    "_histogramdd_from_bin_tensors": _histogramdd_of_edges,
}
