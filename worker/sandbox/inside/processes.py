"""The processes of a runner: which exist, how much memory they use, and how to end all of them."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from glob import glob
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO

_TABLES = ("VmPTE:", "HugetlbPages:")
# What was moved out to swap is held as well.
_AT_MOST = ("RssAnon:", "VmSwap:", *_TABLES)
_SHARE = ("Pss_Anon:", "SwapPss:")
PROC = "/proc"
_FIRST = 1
# What a process holds at most of which nothing can be read: vm.max_map_count mappings, and as many
# files as one may have.
MOST_MAPPINGS, _MOST_FILES = 65_530, 1024
_PIECE = 1 << 16
# From Linux 6.2 on the folder of a process's files has their number as its size.
_FOLDERS_HAVE_SIZES = os.stat("/proc/self/fd").st_size > 0
# Threads that compute, or will when what they wait for comes. One that waits for the disk, or for
# a child to become another program, does nothing.
_GOING_ON = ("R", "S")
# Ended, or gone.
_OVER = ("Z", "X", "")


def everyone() -> list[int]:
    """The ids of all processes of the PID namespace except the first."""
    return [int(name) for name in os.listdir("/proc") if name.isdecimal() and name != "1"]


def descendants() -> list[int]:
    """The descendants of this process, for machines without PID namespaces."""
    parents = {pid: _parent(pid) for pid in map(int, filter(str.isdecimal, os.listdir("/proc")))}
    family = [os.getpid()]
    for ancestor in family:
        family += [pid for pid, parent in parents.items() if parent == ancestor]
    return family[1:]


def signal_all(number: int, isolate: bool) -> None:
    """Signals all processes of the PID namespace except the first, at once; without a namespace
    one descendant after the other."""
    for pid in (-1,) if isolate else descendants():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def end_descendants() -> None:
    """Kills all descendants. This process is a subreaper, so orphans become its children; several
    rounds find those that keep forking."""
    for _ in range(20):
        family = descendants()
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0):
                pass
        if not family:
            return


def goes_on(pid: int) -> bool:
    """Whether a thread of a process is not stopped."""
    return any(_state(path) in _GOING_ON for path in glob(f"{PROC}/{pid}/task/*/stat"))


def is_over(pid: int) -> bool:
    """Whether a process is gone, or has ended and holds nothing any more."""
    return _state(f"{PROC}/{pid}/stat") in _OVER and not goes_on(pid)


def more_than(most: int, running: Sequence[int]) -> bool:
    """Whether there are more processes than `most`, those left out that have ended and of which
    process 1 has not taken note yet."""
    return len(running) > most and sum(not is_over(pid) for pid in running) > most


def locks_held(locks: BinaryIO, most: int) -> int:
    """The locks in the kernel's list of them that are this PID namespace's, of which it shows no
    others; where there are more than `most`, that and one. Those that belong to no process may be
    anybody's, and are refused (scripts/seccomp_filters.py)."""
    locks.seek(0)
    found = 0
    while found <= most and (piece := locks.read(_PIECE)):
        found += piece.count(b"\n") - piece.count(b" OFDLCK ")
    return min(found, most + 1)


def forks_before(running: Sequence[int]) -> list[int]:
    """How many forks at most are between each of these processes and the first of the run: as many
    as it has ancestors, and one for each process whose parent has ended, for process 1 has adopted
    it (scripts/seccomp_filters.py). A parent of which no other descendant is left is none: what the
    kernel kept for it the next child takes over."""
    parents = {pid: _parent(pid) for pid in running}
    adopted = [*parents.values()].count(_FIRST)
    # A number may have become another's while they were read.
    most = len(running)
    return [adopted + sum(1 for _ in islice(_ancestors(pid, parents), most)) for pid in running]


def _ancestors(pid: int, parents: Mapping[int, int]) -> Iterator[int]:
    """Those of them that are in `parents`."""
    while (parent := parents.get(pid, _FIRST)) in parents:
        yield parent
        pid = parent


def bytes_at_most(pid: int) -> int:
    """An upper bound of the memory that a process holds, in bytes, quickly found: pages that it
    shares with others since a fork count in full; page tables are included. Files in memory are
    none of it, and no other memory can be shared (scripts/seccomp_filters.py)."""
    return _said(pid, "status", _sum(_AT_MOST))


def bytes_held(pid: int) -> int:
    """The same, with each page that several processes share divided among them; takes some
    milliseconds for a gigabyte. The upper bound, where the process does not let itself be seen."""
    held = _said(pid, "smaps_rollup", _sum(_SHARE))
    return held + _said(pid, "status", _sum(_TABLES)) if held else bytes_at_most(pid)


def mappings(pid: int) -> int:
    """The number of a process's mappings; as many as there can be where it does not let itself be
    seen, as one does that runs a program which nobody may read."""
    return _said(pid, "maps", _lines, secret=MOST_MAPPINGS)


def open_files(pid: int) -> int:
    """The number of files that a process has open, which its threads share
    (scripts/seccomp_filters.py)."""
    # One that hides them may also be about to end, and hold nothing any more.
    hidden = _said(pid, "fd", _files, secret=-1)
    return hidden if hidden >= 0 else _MOST_FILES * bool(_said(pid, "status", _sum(("VmSize:",))))


def _said(pid: int, name: str, count: Callable[[str], int], secret: int = 0) -> int:
    """What `count` finds in a file of a process; `secret` where that is not to be read. Of a
    process whose first thread has ended the others tell, which hold all that there was."""
    for folder in _threads(pid):
        try:
            if found := count(f"{folder}/{name}"):
                return found
        except PermissionError:
            return secret
        except OSError:
            continue
    return 0


def _threads(pid: int) -> Iterator[str]:
    yield f"{PROC}/{pid}"
    with contextlib.suppress(OSError):
        yield from (f"{PROC}/{pid}/task/{each}" for each in os.listdir(f"{PROC}/{pid}/task"))


def _sum(counted: tuple[str, ...]) -> Callable[[str], int]:
    """The bytes of these lines, each of which has them in KiB."""

    def count(path: str) -> int:
        with opened(path) as lines:
            return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith(counted))

    return count


def _lines(path: str) -> int:
    with open(path, "rb") as lines:
        return sum(1 for _ in lines)


def _files(folder: str) -> int:
    return os.stat(folder).st_size if _FOLDERS_HAVE_SIZES else len(os.listdir(folder))


def _parent(pid: int) -> int:
    found = fields(f"{PROC}/{pid}/stat")
    return int(found[1]) if found else 0


def _state(path: str) -> str:
    found = fields(path)
    return found[0] if found else ""


def fields(path: str | Path) -> list[str]:
    """Of a `stat`, after the name, which may have anything in it; none of one that is gone."""
    try:
        with opened(path) as stat:
            return stat.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def opened(path: str | Path) -> TextIO:
    """A file about a process: of its name, which may be any bytes, others stand for what is no
    text."""
    return open(path, errors="replace")
