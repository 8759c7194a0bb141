"""What a GPU does at most, by its own events: bytes a second from its memory and from its
second-level cache, operations a second of matrix products. Each is measured once in a process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache

import torch

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.measure import runnable

# Calls between two events: the first has to reach the device, which is no part of the others.
_QUEUED = {"copy": 50, "product": 5}
_REPEATS = 5
# Working sets for its memory: so much, or so many times the cache.
_LARGE = 2**30
_TIMES = 8
# And for the cache: the whole of it may be two parts that hold the same.
_PARTS = (2, 1)
_SIZE = 4096
# What the device may multiply a type's products in.
_AS = {"f32": ("f32", "tf32")}
_CACHES: dict[str, Callable[[], int]] = {
    "cuda": lambda: torch.cuda.get_device_properties(0).L2_cache_size
}


def cache_bytes(device: str) -> int:
    """The size of the second-level cache; 0 of a CPU, whose caches inputs are not kept from."""
    return _CACHES[device]() if device in _CACHES else 0


@cache
def from_memory(device: str) -> float:
    """Bytes per second, read and written, of a copy of what the cache does not hold."""
    return copying(max(_LARGE, _TIMES * cache_bytes(device)), device)


@cache
def from_cache(device: str) -> float:
    """The bytes a second of a copy that the cache holds, or the memory's if that is more."""
    within = (copying(cache_bytes(device) // part, device) for part in _PARTS)
    return max(from_memory(device), *within)


def copying(nbytes: int, device: str) -> float:
    """Bytes per second of copies over a working set of `nbytes`."""
    source = torch.ones(nbytes // 2 // 4, device=device)
    target = torch.empty_like(source)
    return nbytes / _seconds(lambda: target.copy_(source), _QUEUED["copy"])


@cache
def multiplying(dtype: str, device: str) -> float:
    """Operations a second of products of this type (a name of the IR's, or "tf32")."""
    own = TORCH["f32" if dtype == "tf32" else dtype]
    a = torch.ones(_SIZE, _SIZE, dtype=own, device=device)
    out = torch.empty_like(a)
    with _tf32() if dtype == "tf32" else nullcontext():
        seconds = _seconds(lambda: torch.mm(a, a, out=out), _QUEUED["product"])
    return 2 * _SIZE**3 / seconds


def multiplying_at_most(dtype: str, device: str) -> float:
    """Operations a second of the fastest of what products of this type may be computed in."""
    return max(multiplying(each, device) for each in _AS.get(dtype, (dtype,)))


@contextmanager
def _tf32() -> Iterator[None]:
    settings = torch.backends.cuda.matmul
    was = settings.fp32_precision
    settings.fp32_precision = "tf32"
    try:
        yield
    finally:
        settings.fp32_precision = was


def _seconds(work: Callable[[], object], calls: int) -> float:
    """The device's seconds of one of some queued calls, in the best of some repeats."""
    work()
    return min(_once(work, calls) for _ in range(_REPEATS)) / calls


def _once(work: Callable[[], object], calls: int) -> float:
    begin, end = runnable.timing_event(), runnable.timing_event()
    begin.record()
    for _ in range(calls):
        work()
    end.record()
    torch.accelerator.synchronize()
    ms = begin.elapsed_time(end)
    assert ms is not None
    return ms / 1e3
