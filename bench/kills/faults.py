"""What befalls a service: each fault gives whether it could be done, when it is over."""

import asyncio
import random
import resource
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import psutil

from bench.kills.databases import AWAY_S
from bench.kills.scene import WHO, Scene

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
    try:
        await asyncio.sleep(AWAY_S)
    finally:
        # Also where this bench is ended meanwhile: who stands still hears of no end but SIGKILL.
        with suppress(psutil.NoSuchProcess):
            victim.resume()
    return True


async def _found(scene: Scene, who: str) -> psutil.Process | None:
    for _ in range(100):
        if victim := scene.find(who):
            return victim
        await asyncio.sleep(0.05)
    return None


async def _full(scene: Scene, who: str) -> bool:
    """No file of the web and the worker can grow, as on a full disk."""
    kept = []
    for each in map(scene.find, ("web", "worker")):
        if each is not None:
            _, hard = each.rlimit(psutil.RLIMIT_FSIZE)
            each.rlimit(psutil.RLIMIT_FSIZE, (_FULL_BYTES, hard))
            kept.append((each, hard))
    await asyncio.sleep(AWAY_S)
    for each, hard in kept:
        if each.is_running():
            each.rlimit(psutil.RLIMIT_FSIZE, (resource.RLIM_INFINITY, hard))
    return True


def _clock_set(seconds: int) -> Callable[[Scene, str], Awaitable[bool]]:
    async def strike(scene: Scene, who: str) -> bool:
        """The wall clock of all of them jumps, and after a while back to what is right."""
        scene.clock.set(seconds)
        await asyncio.sleep(AWAY_S)
        scene.clock.set(0)
        return True

    return strike


def _of_database(befall: Callable[[], Awaitable[None]]) -> Callable[[Scene, str], Awaitable[bool]]:
    async def strike(scene: Scene, who: str) -> bool:
        """What befalls the database."""
        await befall()
        return True

    return strike


Fault = tuple[str, Callable[[Scene, str], Awaitable[bool]], str]


def faults(scene: Scene) -> tuple[Fault, ...]:
    """All there are, in the order in which they come."""
    of_database = scene.database.faults
    return (
        *((f"{who} killed", _killed, who) for who in WHO),
        *((f"{who} stopped", _stopped, who) for who in WHO),
        *((name, _of_database(befall), "") for name, befall in of_database),
        ("disk full", _full, ""),
        ("clock an hour on", _clock_set(_HOUR_S), ""),
        ("clock an hour back", _clock_set(-_HOUR_S), ""),
    )


# By what is done to whom: somebody is killed, stands still, or something else is taken away.
KINDS_OF_FAULTS: tuple[Callable[[Fault], bool], ...] = (
    lambda fault: fault[1] is _killed,
    lambda fault: fault[1] is _stopped,
    lambda fault: fault[1] not in (_killed, _stopped),
)


def one_of_each_kind(known: Sequence[Fault], chance: random.Random) -> list[Fault]:
    """One fault of each kind, in any order."""
    drawn = [chance.choice([*filter(kind, known)]) for kind in KINDS_OF_FAULTS]
    return chance.sample(drawn, len(drawn))
