"""What befalls a service: each fault gives whether it could be done, when it is over."""

import asyncio
import resource
import sqlite3
from collections.abc import Awaitable, Callable

import psutil

from bench.kills.scene import WHO, Scene

# Whoever stands still or is locked out does so for so long.
_AWAY_S = 8.0
_FULL_BYTES = 4096
_HOUR_S = 3600


async def _killed(scene: Scene, who: str) -> bool:
    if victim := await _found(scene, who):
        victim.kill()
    return victim is not None


async def _stopped(scene: Scene, who: str) -> bool:
    """Stands still for a while, and goes on where nobody ended it meanwhile."""
    victim = await _found(scene, who)
    if victim is None:
        return False
    victim.suspend()
    await asyncio.sleep(_AWAY_S)
    with_it = psutil.pid_exists(victim.pid) and victim.is_running()
    if with_it:
        victim.resume()
    return True


async def _found(scene: Scene, who: str) -> psutil.Process | None:
    for _ in range(100):
        if victim := scene.find(who):
            return victim
        await asyncio.sleep(0.05)
    return None


async def _locked(scene: Scene, who: str) -> bool:
    """Somebody else writes to the database, and does not end."""
    other = sqlite3.connect(scene.database, timeout=5, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    await asyncio.sleep(_AWAY_S)
    other.rollback()
    other.close()
    return True


async def _full(scene: Scene, who: str) -> bool:
    """No file of the web and the worker can grow, as on a full disk."""
    kept = []
    for each in map(scene.find, ("web", "worker")):
        if each is not None:
            _, hard = each.rlimit(psutil.RLIMIT_FSIZE)
            each.rlimit(psutil.RLIMIT_FSIZE, (_FULL_BYTES, hard))
            kept.append((each, hard))
    await asyncio.sleep(_AWAY_S)
    for each, hard in kept:
        if each.is_running():
            each.rlimit(psutil.RLIMIT_FSIZE, (resource.RLIM_INFINITY, hard))
    return True


def _clock_set(seconds: int) -> Callable[[Scene, str], Awaitable[bool]]:
    async def strike(scene: Scene, who: str) -> bool:
        """The wall clock of all of them jumps, and after a while back to what is right."""
        scene.clock.set(seconds)
        await asyncio.sleep(_AWAY_S)
        scene.clock.set(0)
        return True

    return strike


Fault = tuple[str, Callable[[Scene, str], Awaitable[bool]], str]
FAULTS: tuple[Fault, ...] = (
    *((f"{who} killed", _killed, who) for who in WHO),
    *((f"{who} stopped", _stopped, who) for who in WHO),
    ("database locked", _locked, ""),
    ("disk full", _full, ""),
    ("clock an hour on", _clock_set(_HOUR_S), ""),
    ("clock an hour back", _clock_set(-_HOUR_S), ""),
)
