"""How fast this machine multiplies matrices: the lower bound of a program that must."""

import time
from functools import cache

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.measure import device_rates

# Square matrices: the larger, the less is lost at the edges; 2 GFLOP are 20 ms on two processors.
_SIZES = (384, 1024)
_SECONDS = 0.06
# Measured while others may be at work, and by a library that is not best at every shape.
_MARGIN = 2.0
# The library multiplies these in other types, as slowly as may be.
_MEASURED = ("f32", "f64", "bf16", "f16")


def floor_us(flops: int, dtype: str, device: str = "cpu") -> float:
    """The least microseconds for so many operations of products of this type (a name of the IR's);
    0 of a type that is not measured."""
    if dtype not in _MEASURED:
        return 0.0
    return flops / (_fastest(dtype, device) * _MARGIN) * 1e6


def roof(device: str) -> float:
    """Operations a second on f32."""
    if device == "cpu":
        return measured("f32", torch.get_num_threads())
    return device_rates.multiplying("f32", device)


def _fastest(dtype: str, device: str) -> float:
    if device != "cpu":
        return device_rates.multiplying_at_most(dtype, device)
    threads = torch.get_num_threads()
    return max(measured(dtype, threads), measured("f32", threads))


@cache
def measured(dtype: str, threads: int) -> float:
    """Operations a second of the best of some products, a multiply-add being two."""
    return max(_rate(size, TORCH[dtype]) for size in _SIZES)


def _rate(size: int, dtype: torch.dtype) -> float:
    a = torch.ones(size, size, dtype=dtype)
    b, out = torch.ones_like(a), torch.empty_like(a)
    times: list[int] = []
    while sum(times) < _SECONDS * 1e9:
        start = time.perf_counter_ns()
        torch.mm(a, b, out=out)
        times.append(time.perf_counter_ns() - start)
    return 2 * size**3 / min(times) * 1e9
