"""The memory bandwidth of this machine: the lower bound of every time that is shown.

A CPU's caches are several times as fast as its memory. Bandwidth is therefore measured for working
sets of every size, and a program's time is compared with the best figure of a working set of its
own size or smaller. Less is physically impossible, and a smaller time an error of measurement.

As of products (peak.py), the bound is of one thread's rate for each that there is, where that is
more: beside others, all threads together have waited for the one that was stopped. On two cores
that eight processes shared, copies of 4 MiB had four hundredths of their rate by both threads, and
all of it by one.
"""

import time
from collections.abc import Callable
from functools import cache

import torch

from compiler_core.measure import device_rates
from compiler_core.measure.threads import one_thread

# Below this, calling the measuring function costs more than the bytes it moves.
_SMALLEST = 4 * 2**20
_LARGEST = 256 * 2**20
_REPEATS = 8
_SECONDS = 0.03
# What is measured on a busy machine may be less than what the machine can do.
_MARGIN = 1.5
# No core moves more in a cycle: two loads and a store of 64 bytes, at a clock that none exceeds.
_CORE_LIMIT = 192 * 6e9


@cache
def measured(nbytes: int, threads: int) -> float:
    """Bytes per second: the best of several passes over a working set of `nbytes`, once only read
    and once read and written, by `threads` threads."""
    source = torch.ones(nbytes // 2 // 4)
    target = torch.empty_like(source)
    both = torch.ones(nbytes // 4)
    copying = _best(lambda: target.copy_(source))
    reading = _best(both.sum)
    return nbytes / min(copying, reading)


def _best(walk: Callable[[], object]) -> float:
    """Seconds of the fastest of some calls."""
    times: list[int] = []
    while len(times) < _REPEATS or sum(times) < _SECONDS * 1e9:
        start = time.perf_counter_ns()
        walk()
        times.append(time.perf_counter_ns() - start)
    return min(times) / 1e9


def bandwidth() -> float:
    """Bytes per second for a working set that is too large for the caches."""
    return measured(_LARGEST, torch.get_num_threads())


def floor_us(nbytes: int, device: str = "cpu") -> float:
    """The least microseconds in which `nbytes` can be moved on a device of this type."""
    return _cpu_floor_us(nbytes) if device == "cpu" else _gpu_floor_us(nbytes, device)


def roof(nbytes: int, device: str) -> float:
    """Bytes per second that a program moves at most which must move `nbytes`."""
    if device == "cpu":
        return max(fastest(nbytes), _alone(nbytes))
    within = nbytes <= device_rates.cache_bytes(device)
    return (device_rates.from_cache if within else device_rates.from_memory)(device)


def _gpu_floor_us(nbytes: int, device: str) -> float:
    """What the second-level cache holds may come at its speed, the rest comes from memory."""
    rest = nbytes - device_rates.cache_bytes(device)
    cached = nbytes / device_rates.from_cache(device)
    return max(cached, rest / device_rates.from_memory(device)) / _MARGIN * 1e6


def _cpu_floor_us(nbytes: int) -> float:
    threads = torch.get_num_threads()
    if nbytes < _SMALLEST:
        return nbytes / (_CORE_LIMIT * threads) * 1e6
    return nbytes / (_at_most(nbytes) * _MARGIN) * 1e6


def _at_most(nbytes: int) -> float:
    """Bytes a second that nothing exceeds."""
    return max(fastest(nbytes), torch.get_num_threads() * _alone(nbytes))


def _alone(nbytes: int) -> float:
    """Bytes a second of one thread."""
    with one_thread():
        return fastest(nbytes)


def fastest(nbytes: int) -> float:
    """Bytes per second: the best of working sets up to `nbytes`, or of the smallest that is
    measured."""
    threads, size = torch.get_num_threads(), _SMALLEST
    found = measured(size, threads)
    while (size := size * 4) <= min(nbytes, _LARGEST):
        found = max(found, measured(size, threads))
    return found
