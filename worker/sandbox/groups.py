"""A control group for each run, where a folder of them (cgroup v2) was handed to the worker.

The kernel then counts all that the processes of a run hold, in whatever form, and never more than
the limit; it stops all of them at once and ends all of them at once. A run is moved to its group
before it is told what to run, so that nothing of a snippet's was ever outside of it. Where no
folder was handed over, process 1 of a run does the same by looking, ten times a second.

What the files of a group mean is in the kernel's Documentation/admin-guide/cgroup-v2.rst.
"""

import contextlib
import itertools
import logging
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from worker.sandbox.files import process_of
from worker.sandbox.limits import Limits

log = logging.getLogger(__name__)

# What limits of a run are held by, where the folder has it.
WANTED = ("memory", "pids", "cpu")
# What each run has of the processors, where the service has 100: however many its processes are.
_WEIGHT = 50
# Process 1 looks first, and says how many there were.
_OWN = 1
_DEATH_S = 2.0
_LOOK_S = 0.005
_NAME = "run-{worker}-{number}"
_ITS_NAME = re.compile(r"run-(\d+)-\d+")


class Unusable(Exception):
    """A folder in which no groups can be made; the text says why, and what to do about it."""


class Group(Protocol):
    """What all processes of a run are in."""

    def stand_still(self, yes: bool) -> bool:
        """Stops all of its processes, or lets them go on; whether it could."""

    def ran_out(self) -> bool:
        """Whether the kernel ended it because it wanted more than its memory."""

    def end(self) -> None:
        """Ends all of its processes, whatever they do."""

    def remove(self) -> None:
        """Removes the group, once its processes are gone."""


class NoGroup:
    """The group of a run where there are no control groups: nothing is done."""

    def stand_still(self, yes: bool) -> bool:
        return False

    def ran_out(self) -> bool:
        return False

    def end(self) -> None:
        return None

    def remove(self) -> None:
        return None


class _Own:
    """The group in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def stand_still(self, yes: bool) -> bool:
        return self._accepted("cgroup.freeze", str(int(yes)))

    def ran_out(self) -> bool:
        with contextlib.suppress(OSError):
            lines = (self._folder / "memory.events").read_text().splitlines()
            return int(dict(map(str.split, lines)).get("oom_kill", 0)) > 0
        return False

    def end(self) -> None:
        # Whoever asks for it ends process 1 as well, whatever comes of this.
        self._accepted("cgroup.kill", "1")

    def remove(self) -> None:
        last = time.monotonic() + _DEATH_S
        while time.monotonic() < last:
            try:
                return self._folder.rmdir()
            except FileNotFoundError:
                return None
            except OSError:
                time.sleep(_LOOK_S)  # the last process is dead, and not yet taken out
        log.error("the control group %s is not empty", self._folder)

    def limit(self, limits: Limits) -> None:
        """As far as the folder has what holds it."""
        for name, value in (
            ("memory.max", limits.memory_bytes),
            ("memory.swap.max", 0),
            # Not the one process that is largest: a run without it would be told wrong things.
            ("memory.oom.group", 1),
            ("pids.max", limits.threads + _OWN),
            ("cpu.weight", _WEIGHT),
        ):
            if (self._folder / name).exists():
                self._write(name, str(value))

    def take(self, process: int) -> None:
        """This one and its children: those that it has from then on are born here."""
        self._write("cgroup.procs", str(process))
        for child in _children(process):
            with contextlib.suppress(ProcessLookupError):
                self._write("cgroup.procs", str(child))

    def _accepted(self, name: str, text: str) -> bool:
        """Whether the kernel took it."""
        try:
            self._write(name, text)
        except OSError as error:
            log.error("the control group of a run is not obeyed: %s", error)
            return False
        return True

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text)


class Groups:
    """Makes them in `folder`, which is the worker's to change. Raises Unusable where it cannot."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, itertools.count()
        try:
            self.holds = _handed_on(folder)
            _clear(folder)
            self._new_group().remove()
        except OSError as error:
            raise Unusable(_problem(folder, error)) from None

    def take(self, limits: Limits, pidfd: int) -> Group:
        """A new group of process 1 of a run and of its children, with the run's limits."""
        try:
            group = self._new_group()
        except OSError as error:
            return _without(error)
        try:
            group.limit(limits)
            group.take(process_of(pidfd))
        except OSError as error:
            group.remove()
            return _without(error)
        return group

    def _new_group(self) -> _Own:
        name = _NAME.format(worker=os.getpid(), number=next(self._numbers))
        (self._folder / name).mkdir()
        return _Own(self._folder / name)


def _without(error: OSError) -> Group:
    log.error("a run has no control group of its own: %s", error)
    return NoGroup()


def groups_in(folder: Path | None) -> Groups | None:
    """The groups of a worker that was handed `folder`; None without one. Raises Unusable."""
    if folder is None:
        return None
    groups = Groups(folder)
    held = " and ".join(groups.holds) or "nothing"
    log.info("each run has a control group in %s, which limits %s", folder, held)
    return groups


def _handed_on(folder: Path) -> tuple[str, ...]:
    """What limits of the groups in `folder` can be held by, once it is switched on for them."""
    there = (folder / "cgroup.controllers").read_text().split()
    found = tuple(name for name in WANTED if name in there)
    (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in found))
    return found


def _clear(folder: Path) -> None:
    """Takes away groups of workers that were killed; their processes died with them."""
    for group in folder.iterdir():
        named = _ITS_NAME.fullmatch(group.name)
        if named and not Path("/proc", named[1]).exists():
            with contextlib.suppress(OSError):
                group.rmdir()


def _children(process: int) -> Iterator[int]:
    with contextlib.suppress(FileNotFoundError):
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
        yield from map(int, text.split())


def _problem(folder: Path, error: OSError) -> str:
    return (
        f"FUSELAB_CGROUP is {folder}, in which no control groups of runs can be made: {error}. "
        "Name a folder of cgroup v2 without processes of its own that this user may write to, or "
        "leave it unset: runs are then limited by their own supervisor."
    )
