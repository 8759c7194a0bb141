"""The processes of a runner: which exist, how much memory they use, and how to end all of them."""

import contextlib
import os
import signal

_COUNTED = ("RssAnon:", "RssShmem:")


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


def resident_bytes(pid: int) -> int:
    """Resident anonymous and shared memory of a process in bytes; pages shared since a fork count
    in full."""
    try:
        with open(f"/proc/{pid}/status") as status:
            kib = [int(line.split()[1]) for line in status if line.startswith(_COUNTED)]
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return 1024 * sum(kib)


def _parent(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return int(stat.read().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
