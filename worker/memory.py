"""How much of what all runs share is free to this worker: memory, and numbers for processes."""

from pathlib import Path

_PROC = Path("/proc")
# Of a container with limits of its own (cgroup v2).
_GROUP = Path("/sys/fs/cgroup")


def share_free(proc: Path = _PROC, group: Path = _GROUP) -> float:
    """The share that is free, from 0 to 1, of memory or of numbers for processes and threads,
    whichever is less: of the machine, or of this container."""
    return min(
        _memory_of_machine(proc),
        _memory_of_group(group),
        _numbers_of_machine(proc),
        _numbers_of_group(group),
    )


def _memory_of_machine(proc: Path) -> float:
    lines = (line.split() for line in (proc / "meminfo").read_text().splitlines())
    kib = {words[0]: int(words[1]) for words in lines}
    return kib["MemAvailable:"] / kib["MemTotal:"]


def _memory_of_group(group: Path) -> float:
    """1 where there is no limit. Files that nobody has read lately can be dropped: they are
    free."""
    try:
        most = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return 1.0
    return (most - used + int(stat.get("inactive_file", 0))) / most


def _numbers_of_machine(proc: Path) -> float:
    """Some machines have 32,768, of which runs that stand still could hold all; 1 where nothing
    says how many."""
    try:
        most = int((proc / "sys/kernel/pid_max").read_text())
        return 1 - int((proc / "loadavg").read_text().split()[3].partition("/")[2]) / most
    except (OSError, ValueError):
        return 1.0


def _numbers_of_group(group: Path) -> float:
    """1 where there is no limit."""
    try:
        most = int((group / "pids.max").read_text())
        return 1 - int((group / "pids.current").read_text()) / most
    except (OSError, ValueError, ZeroDivisionError):
        return 1.0
