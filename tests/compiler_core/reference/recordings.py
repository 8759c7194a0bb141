"""What XLA's profiler recorded, as a text: a line an event, with the number of its thread, when it
began and how long it took in nanoseconds, its name, and the names of its remarks."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

_TAB = "\t"


@dataclass(frozen=True)
class Event:
    """As jax.profiler.ProfileData has it, and so are those that it is in."""

    name: str
    start_ns: float
    duration_ns: float
    stats: tuple[tuple[str, None], ...]


@dataclass(frozen=True)
class Thread:
    events: tuple[Event, ...]


@dataclass(frozen=True)
class Plane:
    lines: tuple[Thread, ...]


@dataclass(frozen=True)
class Recording:
    planes: tuple[Plane, ...]


def written(data: Any) -> str:
    """The events of a recording."""
    threads = [line for plane in data.planes for line in plane.lines]
    events = [(number, event) for number, line in enumerate(threads) for event in line.events]
    first = min((event.start_ns for _, event in events), default=0)
    return "\n".join(
        _TAB.join(
            (
                str(number),
                str(round(event.start_ns - first)),
                str(round(event.duration_ns)),
                event.name,
                " ".join(key for key, _ in event.stats if key),
            )
        )
        for number, event in events
    )


def read(text: str) -> Recording:
    """The recording that was written."""
    threads: dict[str, list[Event]] = defaultdict(list)
    for line in text.splitlines():
        number, start, duration, name, *remarks = line.split(_TAB)
        stats = tuple((key, None) for key in " ".join(remarks).split())
        threads[number].append(Event(name, float(start), float(duration), stats))
    return Recording((Plane(tuple(Thread(tuple(events)) for events in threads.values())),))
