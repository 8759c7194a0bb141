"""How much of the memory that this worker may use is free."""

from pathlib import Path

_MEMINFO = Path("/proc/meminfo")
# Of a container with a limit of its own (cgroup v2).
_GROUP = Path("/sys/fs/cgroup")


def share_free(meminfo: Path = _MEMINFO, group: Path = _GROUP) -> float:
    """The share of memory that is free, from 0 to 1: of the machine, or of this container where
    that is less."""
    return min(_of_machine(meminfo), _of_group(group))


def _of_machine(meminfo: Path) -> float:
    lines = (line.split() for line in meminfo.read_text().splitlines())
    kib = {words[0]: int(words[1]) for words in lines}
    return kib["MemAvailable:"] / kib["MemTotal:"]


def _of_group(group: Path) -> float:
    """1 where there is no limit. Files that nobody has read lately can be dropped: they are
    free."""
    try:
        most = int((group / "memory.max").read_text())
        used = int((group / "memory.current").read_text())
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return 1.0
    return (most - used + int(stat.get("inactive_file", 0))) / most
