"""The command of every process, in one place: the launcher starts these, docker-compose.yml has
the same ones, and a test holds the two together."""

from collections.abc import Sequence

Command = tuple[str, ...]

# What a worker may be asked to do, by the device that a run wants.
QUEUES = ("cpu", "cuda")


def migrate(python: str) -> Command:
    """Brings the database's tables up to date, and ends."""
    return (python, "manage.py", "migrate", "--noinput", "--verbosity=0")


def web(python: str, host: str, port: int) -> Command:
    """Serves the page, the API and the WebSocket."""
    return (python, "-m", "webapp.serve", f"--host={host}", f"--port={port}")


def worker(python: str, queues: Sequence[str]) -> Command:
    """Takes runs from these queues."""
    options = ("--loglevel=INFO", "--without-gossip", "--without-mingle")
    celery = (python, "-m", "celery", "--quiet", "-A", "worker.app", "worker")
    return (*celery, "-Q", ",".join(queues), *options)
