"""The services under their launcher, and who is who among their processes."""

import asyncio
import os
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from bench.kills.clock import Clock
from bench.kills.databases import Database
from bench.sockets import HOST, answers
from launcher import commands
from launcher.embedded_redis import embedded_redis
from launcher.supervisor import Service, Supervisor

_WORKER = "tests.worker.celery_of_deeds"
DEADLINE_S = 10


def _command(*words: str) -> Callable[[psutil.Process], bool]:
    return lambda process: all(word in " ".join(process.cmdline()) for word in words)


def _ids(process: psutil.Process) -> list[str]:
    """Its numbers from this namespace inwards."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return next(line.split()[1:] for line in status.splitlines() if line.startswith("NSpid"))


def _inner(process: psutil.Process) -> str:
    """Its number in a run's own namespace; "" for who is in none."""
    ids, own = _ids(process), _ids(psutil.Process())
    return ids[-1] if len(ids) == len(own) + 2 else ""


def _is_served(process: psutil.Process) -> bool:
    """Whether it is of the services, and not of a database beside them."""
    with suppress(psutil.Error):
        return process.name() != "postgres"
    return False


WHO: dict[str, Callable[[psutil.Process], bool]] = {
    "runner": lambda process: _inner(process) not in ("", "1"),
    "process 1": lambda process: _inner(process) == "1",
    "fork server": lambda process: (
        not _inner(process) and "inside.server" in " ".join(process.cmdline()[:4])
    ),
    "worker": _command("celery", _WORKER),
    "web": _command("webapp.serve"),
    "Redis": _command("redis-server"),
}


class Scene:
    """A launcher's services in `folder`, whose web listens at `port`; Redis chooses its own."""

    def __init__(self, folder: Path, port: int, chance: random.Random, database: Database) -> None:
        self.folder, self.at, self.chance = folder, f"{HOST}:{port}", chance
        self.database = database
        self.seen = set[psutil.Process]()
        self._ready = asyncio.Event()
        redis = embedded_redis(folder / "redis")
        (folder / "tmp").mkdir()
        self.clock = Clock(folder)
        self.environment = os.environ | {
            **self.clock.environment,
            "REDIS_URL": redis.url,
            "DATABASE_URL": database.url,
            "TMPDIR": str(folder / "tmp"),
            "FUSELAB_RUN_RATE": "100000/min",
            "FUSELAB_WAITING": "1000",
            "FUSELAB_BUDGET": "100000",
            "FUSELAB_DEADLINE": str(DEADLINE_S),
            "FUSELAB_WARM_UP": "20",
            "DEEDS_BEATS": "as served",
        }
        worker = list(commands.worker(sys.executable, ("cpu",)))
        worker[worker.index("worker.app")] = _WORKER
        web = commands.web(sys.executable, HOST, port)
        self._services = [
            redis.service,
            Service("worker", worker),
            Service("web", web, ready=lambda: answers(port)),
        ]
        self.log = open(folder / "log", "w")  # noqa: SIM115  # for as long as the services live
        self._supervisor = Supervisor(self.environment, self._write)

    def _write(self, name: str, text: str) -> None:
        self.log.write(f"{name} | {text}\n")
        self.log.flush()

    async def begin(self) -> None:
        self._life = asyncio.create_task(self._supervisor.run(self._services, self._ready.set))
        await self._ready.wait()

    async def end(self) -> None:
        self.family()
        self._supervisor.stop()
        await self._life
        self.log.close()

    def family(self) -> list[psutil.Process]:
        found = [each for each in psutil.Process().children(recursive=True) if _is_served(each)]
        self.seen.update(found)
        return found

    def find(self, who: str) -> psutil.Process | None:
        """Of those who are `who` (a key of WHO) the one that is there longest, which is no runner
        kept ready for a run to come; None where there is none now."""
        found = []
        for process in self.family():
            try:
                if WHO[who](process):
                    found.append(process)
            except (psutil.Error, OSError):
                continue
        return min(found, key=psutil.Process.create_time, default=None)
