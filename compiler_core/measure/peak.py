"""How fast this machine multiplies matrices: the lower bound of a program that must.

The bound is of one thread's rate for each that there is: others who are at work take a processor
for milliseconds, within which one thread has finished several products, and all threads together
have waited for the one that was stopped. Measured by all at once on two cores that eight processes
shared, a product of 384 x 384 had a sixteenth of its rate, and what ran in its time was refused.
"""

import time
from functools import cache

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.measure import device_rates
from compiler_core.measure.threads import one_thread

# Square matrices: the larger, the less is lost at the edges; 2 GFLOP are 20 ms on two processors.
_SIZES = (384, 1024)
# Those of one thread are over in a fraction of a millisecond.
_SIZES_ALONE = (256, 384)
_SECONDS = 0.06
# The library is not best at every shape, and on processors that are not of its maker has vectors of
# half their width: 111 GFLOP a second by one core of a Zen 5, which can do 237.
_MARGIN = 2.5
_MARGIN_GPU = 2.0
# The library multiplies these in other types, as slowly as may be.
_MEASURED = ("f32", "f64", "bf16", "f16")


def floor_us(flops: int, dtype: str, device: str = "cpu") -> float:
    """The least microseconds for so many operations of products of this type (a name of the IR's);
    0 of a type that is not measured."""
    if dtype not in _MEASURED:
        return 0.0
    return flops / _at_most(dtype, device) * 1e6


def roof(device: str) -> float:
    """Operations a second on f32."""
    if device == "cpu":
        return max(measured("f32", torch.get_num_threads()), alone("f32"))
    return device_rates.multiplying("f32", device)


def _at_most(dtype: str, device: str) -> float:
    """Operations a second that nothing exceeds."""
    if device != "cpu":
        return _MARGIN_GPU * device_rates.multiplying_at_most(dtype, device)
    return _MARGIN * torch.get_num_threads() * max(alone(dtype), alone("f32"))


@cache
def alone(dtype: str) -> float:
    """Operations a second of one thread, a multiply-add being two: the best of some products."""
    with one_thread():
        return max(_rate(size, TORCH[dtype]) for size in _SIZES_ALONE)


@cache
def measured(dtype: str, threads: int) -> float:
    """The same of all threads together."""
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
