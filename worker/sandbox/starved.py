"""Whether a run stood at its deadline because of others: they had the processors, or measured."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from worker.sandbox.files import PROC, process_of, threads_of
from worker.sandbox.inside.processes import fields

# Less is not spoken of, in seconds.
_LEAST_S = 1.0
_TICKS = os.sysconf("SC_CLK_TCK")


class Share(NamedTuple):
    """What the processes of a run had of the processors: the seconds that all of them spent, and
    those that the thread waited which waited longest while it could have computed."""

    spent_s: float
    waited_s: float

    def is_little(self, deadline_s: float) -> bool:
        """Whether it was kept waiting for most of the time, and not by its own other processes."""
        return self.waited_s > max(_LEAST_S, deadline_s / 2) and self.spent_s < deadline_s / 2


def late(pidfd: int | None, deadline_s: float, paused_s: float, crowd: int = 0) -> tuple[str, str]:
    """How a run ends that is at its deadline, of the table of failures, and its detail; `pidfd` is
    its process 1's. It stood still for `paused_s` of the time that counts; of its threads `crowd`
    computed at once, where those were too many, and waited for each other."""
    if paused_s > deadline_s / 2:
        return "behind", f"{paused_s:.3g}"
    if crowd:
        return "crowded", str(crowd)
    if pidfd is not None and (had := share(pidfd)).is_little(deadline_s):
        return "starved", f"{had.waited_s:.0f}"
    return "deadline", ""


def share(pidfd: int, proc: Path = PROC) -> Share:
    """The processors' time that the process and all below it had and waited for. A kernel that does
    not count waiting says 0 of it."""
    first = process_of(pidfd, proc)
    stats = {int(each.name): found for each in proc.glob("[0-9]*") if (found := _stat(each))}
    family = [first] if first in stats else []
    for ancestor in family:
        family += [pid for pid, (parent, _) in stats.items() if parent == ancestor]
    waited = (seconds for pid in family for seconds in _waits(proc / str(pid)))
    return Share(sum(stats[pid][1] for pid in family), max(waited, default=0.0))


def _stat(process: Path) -> tuple[int, float] | None:
    """Its parent, and the seconds that it and those of its children spent that have ended."""
    words = fields(process / "stat")
    if not words:
        return None
    return int(words[1]), sum(map(int, words[11:15])) / _TICKS


def _waits(process: Path) -> Iterator[float]:
    """Seconds that each of its threads waited for a processor."""
    for each in threads_of(process):
        try:
            yield int((each / "schedstat").read_text().split()[1]) / 1e9
        except (OSError, IndexError):
            continue
