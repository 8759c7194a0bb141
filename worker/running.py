"""The process's Service, shared by its tasks and by Celery's signal handlers."""

from collections.abc import Sequence

from worker.config import Config
from worker.service import Service

_service: list[Service] = []


def start(config: Config, queues: Sequence[str]) -> None:
    service = Service(config, queues)
    service.start()
    _service.append(service)


def service() -> Service:
    return _service[0]
