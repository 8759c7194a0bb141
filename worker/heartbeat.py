"""Registers this worker in Redis every few seconds: its queues, its devices, its versions."""

import logging
import platform
import secrets
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from redis.exceptions import RedisError

from compiler_core.environments import Toolchain, versions
from webapp.runs import workers
from worker.accelerators import Accelerator, models, value_in

log = logging.getLogger(__name__)

_GOODBYE_S = 2.0


class Heartbeat:
    """A thread that writes this worker's WorkerInfo to Redis every BEAT_SECONDS."""

    def __init__(
        self,
        queues: Sequence[str],
        accelerators: Mapping[str, Accelerator],
        toolchains: Mapping[str, Toolchain],
    ) -> None:
        self.worker = workers.WorkerInfo(
            id=secrets.token_hex(6),
            queues=tuple(queues),
            devices=devices(accelerators),
            toolchain=toolchain(),
            toolchains={name: t.versions for name, t in toolchains.items() if t.serves_runs},
            extras={name: t.own for name, t in toolchains.items() if not t.serves_runs},
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        log.info("worker %s: %s", self.worker.id, self.worker.devices)
        self._thread.start()

    def stop(self) -> None:
        """Removes the worker's entry from Redis and ends the thread."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=_GOODBYE_S)

    def _beat(self) -> None:
        while not self._stop.is_set():
            self._notify(lambda: workers.beat(self.worker))
            self._stop.wait(workers.BEAT_SECONDS)
        self._notify(lambda: workers.leave(self.worker.id))

    def _notify(self, what: Callable[[], None]) -> None:
        try:
            what()
        except RedisError as error:
            log.warning("no heartbeat: %s", error)


def toolchain() -> dict[str, str]:
    """The versions of the main environment."""
    return {"python": platform.python_version()} | versions(sys.path)


def devices(accelerators: Mapping[str, Accelerator]) -> dict[str, str]:
    """The names of the processor ("cpu") and of `accelerators`, by device."""
    processor = value_in([Path("/proc/cpuinfo")], "model name") or platform.machine()
    return {"cpu": processor, **models(accelerators)}
