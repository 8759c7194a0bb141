"""Says every few seconds that this worker lives: in Redis, with its queues, its devices and its
versions; in the database, of the runs that it has."""

import logging
import platform
import secrets
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from compiler_core.environments import Toolchain, versions
from webapp.periodic import Periodic
from webapp.runs import lifecycle, workers
from worker.accelerators import Accelerator, models, value_in

log = logging.getLogger(__name__)


class Standing(NamedTuple):
    """How the worker stands: why it takes no runs, and why it takes none for a while, the seconds
    since one went through, and those that a run takes until its first IR."""

    problem: str = ""
    starting: str = ""
    proven_s: float | None = None
    beginning_s: float = 0.0


class Heartbeat:
    """Writes this worker's WorkerInfo to Redis every BEAT_SECONDS, with how it stands now, and to
    the database that it has the runs which `under_way` returns. Each in its own thread: while one
    cannot be reached, the other goes on."""

    def __init__(
        self,
        queues: Sequence[str],
        accelerators: Mapping[str, Accelerator],
        toolchains: Mapping[str, Toolchain],
        under_way: Callable[[], Collection[str]] = tuple,
        standing: Callable[[], Standing] = Standing,
        runs: int = 1,
    ) -> None:
        self.worker = workers.WorkerInfo(
            id=secrets.token_hex(6),
            queues=tuple(queues),
            runs=runs,
            devices=devices(accelerators),
            toolchain=toolchain(),
            toolchains={name: t.versions for name, t in toolchains.items() if t.serves_runs},
            extras={name: t.own for name, t in toolchains.items() if not t.serves_runs},
        )
        self._threads = (
            Periodic(
                "heartbeat",
                workers.BEAT_SECONDS,
                lambda: workers.beat(_now(self.worker, standing())),
                lambda: workers.leave(self.worker.id),
            ),
            Periodic(
                "ownership",
                workers.BEAT_SECONDS,
                lambda: lifecycle.beat(self.worker.id, under_way()),
            ),
        )

    def start(self) -> None:
        """Starts both threads."""
        log.info("worker %s: %s", self.worker.id, self.worker.devices)
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Removes the worker's entry from Redis and ends both."""
        for thread in self._threads:
            thread.stop()


def _now(worker: workers.WorkerInfo, standing: Standing) -> workers.WorkerInfo:
    """Runs are still meant for who only starts its compiler: else they went to other devices."""
    return msgspec.structs.replace(
        worker,
        queues=() if standing.problem else worker.queues,
        problem=standing.problem or standing.starting,
        proven_s=standing.proven_s,
        beginning_s=standing.beginning_s,
    )


def toolchain() -> dict[str, str]:
    """The versions of the main environment."""
    return {"python": platform.python_version()} | versions(sys.path)


def devices(accelerators: Mapping[str, Accelerator]) -> dict[str, str]:
    """The names of the processor ("cpu") and of `accelerators`, by device."""
    processor = value_in([Path("/proc/cpuinfo")], "model name") or platform.machine()
    return {"cpu": processor, **models(accelerators)}
