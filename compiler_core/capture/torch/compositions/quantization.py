"""Quantization followed by dequantization, which quantization-aware training simulates."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _quantized(x: Tensor, scale: Any, zero: Any, low: int, high: int) -> tuple[Tensor, Tensor]:
    """x as the nearest of evenly spaced numbers, and where it is not cut off; NaN is the lowest."""
    return _from_places(_places(x, scale, zero), x.dtype, scale, zero, low, high)


def _places(x: Tensor, scale: Any, zero: Any) -> Tensor:
    """torch multiplies by the inverse, in single precision."""
    return torch.round(x.float() * (1.0 / scale)) + zero


def _from_places(
    place: Tensor, dtype: torch.dtype, scale: Any, zero: Any, low: int, high: int
) -> tuple[Tensor, Tensor]:
    inside = (place >= low) & (place <= high)
    cut = torch.where(place >= low, place, low).clamp_max(high)
    return ((cut - zero) * scale).to(dtype), inside


def _of_channels(
    x: Tensor, scale: Tensor, zero: Tensor, axis: int, low: int, high: int
) -> tuple[Tensor, Tensor]:
    """Here torch makes whole numbers of places before it cuts them off."""
    shape = [1] * x.dim()
    shape[axis] = -1
    scale, zero = scale.reshape(shape), zero.reshape(shape)
    return _from_places(_places(x, scale, zero).long(), x.dtype, scale, zero, low, high)


def _of_a_tensor(
    x: Tensor, scale: Tensor, zero: Tensor, enabled: Tensor, low: int, high: int
) -> tuple[Tensor, Tensor]:
    """Its scale may be switched off by a tensor."""
    rounded, inside = _quantized(x, scale, zero, low, high)
    on = enabled == 1
    return torch.where(on, rounded, x), inside | ~on


TABLE: dict[str, Callable[..., object]] = {
    "fake_quantize_per_tensor_affine_cachemask": _quantized,
    "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams": _of_a_tensor,
    "fake_quantize_per_channel_affine_cachemask": _of_channels,
}
