"""The processes of a launcher on this machine: which it is, what they hold and what they took."""

import asyncio
import urllib.parse
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress

import psutil

# The launcher's processes, by what their command lines have.
_KINDS = (("webapp.serve", "the web"), ("redis-server", "Redis"), ("celery", "the worker"))


def launcher_at(url: str) -> int | None:
    """The parent of the process of this machine that listens at the address; None where there is
    none that may be looked at."""
    port = urllib.parse.urlsplit(url).port
    with suppress(psutil.Error):
        for each in psutil.net_connections("tcp"):
            if each.status == psutil.CONN_LISTEN and each.laddr.port == port and each.pid:
                return psutil.Process(each.pid).ppid()
    return None


async def memory(pid: int | None, seconds: float) -> dict[psutil.Process, int]:
    """MB of each process of the launcher's after a quarter of the time."""
    await asyncio.sleep(seconds / 4)
    if pid is None or not psutil.pid_exists(pid):
        return {}
    root = psutil.Process(pid)
    return _rss_mb([root, *root.children(recursive=True)])


def _rss_mb(processes: Iterable[psutil.Process]) -> dict[psutil.Process, int]:
    """Of those that are there."""
    found = {}
    for each in processes:
        with suppress(psutil.NoSuchProcess):
            found[each] = each.memory_info().rss // 2**20
    return found


def both(early: dict[psutil.Process, int]) -> tuple[int, int] | None:
    """MB of those processes that are still there: then, and now."""
    late = _rss_mb(early)
    return (sum(early[each] for each in late), sum(late.values())) if late else None


def cpu_s(pid: int | None) -> dict[str, float]:
    """Seconds of a processor that the launcher's processes have taken so far, without those of
    runs."""
    spent = Counter[str]()
    own = psutil.Process(pid).children() if pid and psutil.pid_exists(pid) else []
    for each in own:
        with suppress(psutil.NoSuchProcess):
            times, words = each.cpu_times(), " ".join(each.cmdline())
            kind = next((name for sign, name in _KINDS if sign in words), "other")
            spent[kind] += times.user + times.system
    return dict(spent)
