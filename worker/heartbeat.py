"""Says every few seconds that this worker lives, what it runs on and with which versions."""

import importlib.metadata
import logging
import platform
import threading
from collections.abc import Sequence
from pathlib import Path

from redis.exceptions import RedisError

from webapp.runs import workers

log = logging.getLogger(__name__)

_PACKAGES = ("torch", "triton", "jax", "jaxlib", "numpy")
_GPUS = Path("/proc/driver/nvidia/gpus")


class Heartbeat:
    """A thread that beats for each queue while `alive` is set, as the web server expects it."""

    def __init__(self, queues: Sequence[str], gpu: bool) -> None:
        device, versions = device_name(gpu), toolchain()
        self._abouts = [workers.WorkerInfo(queue, device, versions) for queue in queues]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()

    def _beat(self) -> None:
        while not self._stop.is_set():
            try:
                for about in self._abouts:
                    workers.beat(about)
            except RedisError as error:
                log.warning("no heartbeat: %s", error)
            self._stop.wait(workers.BEAT_SECONDS)


def toolchain() -> dict[str, str]:
    """Versions as installed: importing torch would cost this process 400 MB."""
    versions = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def device_name(gpu: bool) -> str:
    if gpu:
        return _line(sorted(_GPUS.glob("*/information")), "Model") or "NVIDIA GPU"
    return _line([Path("/proc/cpuinfo")], "model name") or platform.machine()


def _line(files: list[Path], key: str) -> str | None:
    for file in files:
        for line in file.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    return None
