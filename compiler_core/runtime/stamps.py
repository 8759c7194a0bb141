"""Recording when each launch of a call began and ended."""

import ctypes
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.plan.plan import Launch, Plan

# The most stamps of all calls until they are taken; later ones are dropped.
ROOM = 1 << 17


@dataclass(frozen=True, slots=True)
class Stamp:
    """One run of a launch: the name of its step, and its begin and end in nanoseconds of
    time.perf_counter_ns."""

    launch: str
    begin_ns: int
    end_ns: int


class Stamps:
    """Records the launches of `plan`, in calls from one thread: those that C runs write their own
    stamps (codegen/c/stamps.py), those that the framework runs are timed from Python."""

    def __init__(self, plan: Plan) -> None:
        self._names = [launch.step.name for launch in plan.walk()]
        self._written = (ctypes.c_long * (3 * ROOM))()
        self._count = ctypes.c_long()
        self._timed: list[Stamp] = []

    def bind(self, library: ctypes.CDLL) -> None:
        """Connects a library that was printed with stamps, so that its launches write here."""
        ctypes.c_void_p.in_dll(library, "stamps").value = ctypes.addressof(self._written)
        ctypes.c_long.in_dll(library, "stamp_room").value = ROOM
        self._count = ctypes.c_long.in_dll(library, "stamp_count")

    def timing(self, run: Callable[..., None]) -> Callable[..., None]:
        """`run`, whose first argument is a launch, with a stamp for each launch except control
        flow."""

        def timed(launch: Launch, *given: Any) -> None:
            begin = time.perf_counter_ns()
            run(launch, *given)
            if not launch.step.plans:
                self._timed.append(Stamp(launch.step.name, begin, time.perf_counter_ns()))

        return timed

    def take(self) -> list[Stamp]:
        """The stamps since the last call of this method, in order."""
        count, timed = self._count.value, self._timed
        found = sorted([*self._read(min(count, ROOM)), *timed], key=lambda s: s.begin_ns)
        self._count.value, self._timed = 0, []
        return found

    def _read(self, count: int) -> Iterator[Stamp]:
        numbers = self._written[: 3 * count]
        for launch, begin, end in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
            yield Stamp(self._names[launch], begin, end)


class GpuStamps:
    """Records launches on a stream by its events; on CPU tensors, in Triton's interpreter, by the
    clock."""

    def __init__(self, device: str) -> None:
        self._clock = _now if device == "cpu" else _recorded
        self._marks: list[tuple[str, Any, Any]] = []

    def timing(self, launch: Launch, run: Callable[[Any], None]) -> Callable[[Any], None]:
        """`run` with a stamp at each call; unchanged for control flow."""
        if launch.step.plans:
            return run

        def timed(memory: Any) -> None:
            begin = self._clock()
            run(memory)
            self._marks.append((launch.step.name, begin, self._clock()))

        return timed

    def take(self) -> list[Stamp]:
        """The stamps since the last call of this method, in order."""
        marks, self._marks = self._marks, []
        place = _placed() if self._clock is _recorded else lambda ns: ns
        return [Stamp(name, place(begin), place(end)) for name, begin, end in marks]


def _now() -> int:
    return time.perf_counter_ns()


def _recorded() -> Any:
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def _placed() -> Callable[[Any], int]:
    """From an event of the stream to time.perf_counter_ns, by one that is reached now."""
    torch.cuda.synchronize()
    event = _recorded()
    event.synchronize()
    reached = time.perf_counter_ns()
    return lambda earlier: reached - int(earlier.elapsed_time(event) * 1e6)
