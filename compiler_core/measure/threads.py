"""OpenMP's threads, each on a processor of its own while something is measured.

A thread that has slept is often woken on the processor of the one that wakes it. Both then take
turns on it at each parallel region, for as long as the scheduler leaves them there: two small
products of torch's took 1 ms in one process and 70 us in the next (two virtual processors). Whoever
has no such regions, as XLA, is not concerned.
"""

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import torch

# By which names OpenMP's libraries are known: of GNU, LLVM and Intel. All have GNU's entry.
_LIBRARIES = ("libgomp", "libomp", "libiomp")
_Body = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@contextmanager
def on_processors_of_their_own() -> Iterator[str]:
    """The calling thread and those of each loaded library stay on one processor each, as far as
    there are so many. Gives a sentence for the protocol, "" if nothing is bound. Threads that the
    calling one starts meanwhile stay where it is: start them before."""
    processors = _from_here(sorted(os.sched_getaffinity(0)))
    pools = _pools() if len(processors) > 1 else []
    _each(pools, lambda number: {processors[number % len(processors)]})
    try:
        yield "OpenMP's threads on a processor each" if pools else ""
    finally:
        _each(pools, lambda _: set(processors))


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch's operations are computed by one thread each, in an order that is always the same."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _from_here(processors: list[int]) -> list[int]:
    """The same, beginning with the one that the calling thread runs on: processes that are measured
    at a time do not all begin with the first."""
    here = ctypes.CDLL(None).sched_getcpu()
    first = processors.index(here) if here in processors else 0
    return processors[first:] + processors[:first]


def _pools() -> list[Any]:
    """The loaded libraries of OpenMP."""
    mapped = Path("/proc/self/maps").read_text().splitlines()
    paths = {Path(line.split()[-1]) for line in mapped if "/" in line}
    found = (ctypes.CDLL(str(p)) for p in sorted(paths) if p.name.startswith(_LIBRARIES))
    return [library for library in found if hasattr(library, "GOMP_parallel")]


def _each(pools: Sequence[Any], processors: Callable[[int], set[int]]) -> None:
    """Every thread of the pools binds itself: a sandbox forbids to name another."""
    for pool in pools:

        def body(_: Any, number: Callable[[], int] = pool.omp_get_thread_num) -> None:
            with suppress(OSError):
                os.sched_setaffinity(0, processors(number()))

        pool.GOMP_parallel(_Body(body), None, pool.omp_get_max_threads(), 0)
