"""The processes of a runner: which exist, how much memory they use, and how to end all of them."""

import contextlib
import os
import signal

_TABLES = ("VmPTE:", "HugetlbPages:")
_AT_MOST = ("RssAnon:", *_TABLES)
_SHARE = ("Pss_Anon:",)


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


def bytes_at_most(pid: int) -> int:
    """An upper bound of the memory that a process holds, in bytes, quickly found: pages that it
    shares with others since a fork count in full; page tables are included. Files in memory are
    none of it, and no other memory can be shared (scripts/seccomp_filters.py)."""
    return _sum(f"/proc/{pid}/status", _AT_MOST)


def bytes_held(pid: int) -> int:
    """The same, with each page that several processes share divided among them; takes some
    milliseconds for a gigabyte. The upper bound, where the process does not let itself be seen."""
    held = _sum(f"/proc/{pid}/smaps_rollup", _SHARE)
    return held + _sum(f"/proc/{pid}/status", _TABLES) if held else bytes_at_most(pid)


def mappings(pid: int) -> int:
    """The number of a process's mappings."""
    try:
        with open(f"/proc/{pid}/maps", "rb") as lines:
            return sum(1 for _ in lines)
    except OSError:
        return 0


def open_files(pid: int) -> int:
    """The number of files that a process has open."""
    folder = f"/proc/{pid}/fd"
    try:
        # A kernel before 6.2 has no size of this folder.
        return os.stat(folder).st_size or len(os.listdir(folder))
    except OSError:
        return 0


def _sum(path: str, counted: tuple[str, ...]) -> int:
    try:
        with open(path) as lines:
            kib = [int(line.split()[1]) for line in lines if line.startswith(counted)]
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return 0
    return 1024 * sum(kib)


def _parent(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
