"""Quantization followed by dequantization, which quantization-aware training simulates."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


def _quantized(x: Tensor, scale: Any, zero: Any, low: int, high: int) -> tuple[Tensor, Tensor]:
    """x as the nearest of evenly spaced numbers, and where it is not cut off."""
    # torch multiplies by the inverse, in single precision.
    place = torch.round(x.float() * (1.0 / scale)) + zero
    inside = (place >= low) & (place <= high)
    return ((place.clamp(low, high) - zero) * scale).to(x.dtype), inside


def _of_channels(
    x: Tensor, scale: Tensor, zero: Tensor, axis: int, low: int, high: int
) -> tuple[Tensor, Tensor]:
    shape = [1] * x.dim()
    shape[axis] = -1
    return _quantized(x, scale.reshape(shape), zero.reshape(shape), low, high)


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
