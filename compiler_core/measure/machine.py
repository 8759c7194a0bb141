"""What else the machine does while something is measured: the time of its processors that other
processes take, and that a hypervisor gives to other machines.

The load average is of a minute, in which a run has compiled; and it does not know of stolen time.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
# proc_pid_stat(5), counted behind the name in parentheses.
_PARENT, _USER, _SYSTEM = 1, 11, 12
# proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal; what follows is in them.
_COUNTED, _IDLE = 8, (3, 4)
# A second processor's worth of others' work makes every number one of them, too; below this share
# of the processors, what others take is in the spread of the samples.
_BUSY = 0.1


@dataclass(frozen=True)
class Used:
    """`others` is how many processors' worth of time others took in `seconds`, of the `processors`
    that this process may use; None where the system does not say."""

    seconds: float
    processors: int
    others: float | None

    @property
    def busy(self) -> bool:
        """Whether others took so much that the figures are theirs as well."""
        return self.others is not None and self.others > _BUSY * self.processors


@dataclass(frozen=True)
class Usage:
    """Seconds until now: by the clock, of work on this process's processors, of its own work."""

    clock: float
    processors: int
    all: float | None
    own: float

    def since(self, before: "Usage") -> Used:
        """What was used between `before` and this."""
        seconds = max(self.clock - before.clock, 1e-9)
        if self.all is None or before.all is None:
            return Used(seconds, self.processors, None)
        others = (self.all - before.all) - (self.own - before.own)
        return Used(seconds, self.processors, max(0.0, others) / seconds)

    def without(self, gone: "Usage", back: "Usage") -> "Usage":
        """This, as if nothing had been used between the two."""
        clock, own = self.clock + back.clock - gone.clock, self.own + back.own - gone.own
        if self.all is None or gone.all is None or back.all is None:
            return Usage(clock, self.processors, None, own)
        return Usage(clock, self.processors, self.all + back.all - gone.all, own)


class Away:
    """How many seconds one was away; 0 until that is over."""

    seconds = 0.0


class Watch:
    """What is used from its making on, but for what is while one is away."""

    def __init__(self) -> None:
        self._since = usage()

    @contextmanager
    def away(self) -> Iterator[Away]:
        """Context in which others use the machine and disturb nothing."""
        away, gone = Away(), usage()
        yield away
        back = usage()
        away.seconds = back.clock - gone.clock
        self._since = self._since.without(gone, back)

    def used(self) -> Used:
        """What was used until now."""
        return usage().since(self._since)


def usage() -> Usage:
    """The processors' and this process's use until now."""
    processors = os.sched_getaffinity(0)
    return Usage(time.perf_counter(), len(processors), _work(processors), _own())


def _work(processors: set[int]) -> float | None:
    """Seconds that these processors have not been idle since they started."""
    wanted = {f"cpu{number}" for number in processors}
    try:
        lines = [line.split() for line in (_PROC / "stat").read_text().splitlines()]
    except OSError:
        return None
    found = [list(map(int, words[1:])) for words in lines if words and words[0] in wanted]
    if len(found) < len(wanted):
        return None
    ticks = sum(n for counts in found for i, n in enumerate(counts[:_COUNTED]) if i not in _IDLE)
    return ticks / os.sysconf("SC_CLK_TCK")


def _own() -> float:
    """Processor seconds of this process and of those that it has started, and they."""
    stats = _stats()
    mine = {os.getpid()}
    while more := {pid for pid, stat in stats.items() if stat[_PARENT] in mine} - mine:
        mine |= more
    started = sum(stats[pid][_USER] + stats[pid][_SYSTEM] for pid in mine & stats.keys()
                  if pid != os.getpid())  # fmt: skip
    return time.process_time() + started / os.sysconf("SC_CLK_TCK")


def _stats() -> Mapping[int, list[int]]:
    """The numbers of every process that can be seen."""
    found = {}
    for folder in _PROC.glob("[0-9]*"):
        try:
            # A process may have any bytes for its name.
            text = (folder / "stat").read_text(errors="replace")
        except OSError:
            continue
        words = text.rpartition(")")[2].split()
        found[int(folder.name)] = [int(w) if w.lstrip("-").isdigit() else 0 for w in words]
    return found
