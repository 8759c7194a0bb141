"""The Service of this process, which its tasks and Celery's signal handlers share."""

from collections.abc import Callable, Sequence

from worker import figures
from worker.config import Config
from worker.service import Service

_service: list[Service] = []


def start(config: Config, queues: Sequence[str], doors: Callable[[bool], None]) -> None:
    """Creates and starts the service; `doors` is told whether it takes runs. Raises Refused,
    SandboxUnavailable or Unusable."""
    if config.figures is not None:
        figures.export(config.figures)
    service = Service(config, queues, doors)
    service.start()
    _service.append(service)


def service() -> Service:
    """The service of this process. It must have been started."""
    return _service[0]
