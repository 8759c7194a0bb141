"""The service on PostgreSQL: what is about the database's own ways is tested on both."""

import asyncio
import json
import os
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from tests.ports import free_port
from tests.postgresql import NotThere, Postgresql, postgresql
from tests.sweep_plugin import thinned
from webapp.databases import SHARED_S

pytestmark = pytest.mark.service

ROOT = Path(__file__).resolve().parents[2]
# Parts of what is stored, who asks for a run, locks, and what is away.
ON_BOTH = (
    "tests/webapp/runs/test_cancel_run.py",
    "tests/webapp/runs/test_create_run.py",
    "tests/webapp/runs/test_create_run_refused.py",
    "tests/webapp/runs/test_create_run_unreachable.py",
    "tests/webapp/runs/test_delete_run.py",
    "tests/webapp/runs/test_sending.py",
    "tests/webapp/runs/test_texts.py",
    "tests/webapp/test_health.py",
    "tests/worker/hostile/test_lost_runs.py",
)
CROWD, CONNECTIONS = 100, 12


@pytest.fixture(scope="module")
def server():
    """One that has few connections."""
    try:
        with postgresql(f"max_connections={CONNECTIONS}") as at:
            yield at
    except NotThere as reason:
        pytest.skip(str(reason))


def environment(server: Postgresql, **more: str) -> dict[str, str]:
    return {**os.environ, "DATABASE_URL": server.url, **more}


def without_what_tests_choose(environment: dict[str, str]) -> dict[str, str]:
    """Tests that inherit these would have the Redis of this process."""
    chosen = ("REDIS_URL", "DJANGO_SETTINGS_MODULE")
    return {name: value for name, value in environment.items() if name not in chosen}


# A process of tests begins with both frameworks.
@pytest.mark.parametrize("file", thinned(ON_BOTH, kept=["tests/webapp/runs/test_create_run.py"]))
def test_what_is_tested_on_sqlite_is_so_here(server, file):
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", file)
    told = without_what_tests_choose(environment(server))
    done = subprocess.run(command, cwd=ROOT, env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.fixture(scope="module")
def web(server, redis_url):
    """The web process, by its port."""
    port = free_port()
    told = environment(server, FUSELAB_CONNECTIONS="5")
    migrate = (sys.executable, "manage.py", "migrate", "--noinput", "--verbosity=0")
    subprocess.run(migrate, cwd=ROOT, env=told, check=True)
    command = (sys.executable, "-m", "webapp.serve", "--port", str(port))
    with subprocess.Popen(command, cwd=ROOT, env=told) as process:
        try:
            assert asyncio.run(answered(port, "/healthz")) == 200
            yield port
        finally:
            process.terminate()


async def answered(port: int, path: str) -> int:
    """The status, as soon as somebody listens."""
    until = time.monotonic() + 20
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            break
        except OSError:
            assert time.monotonic() < until
            await asyncio.sleep(0.1)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
    status = await reader.readline()
    await reader.read()
    writer.close()
    return int(status.split()[1])


def test_a_crowd_takes_no_more_connections_than_it_may(server, web):
    async def crowd():
        return Counter(
            await asyncio.gather(*(answered(web, "/api/v1/runs/none") for _ in range(CROWD)))
        )

    assert asyncio.run(crowd()) == {404: CROWD}
    with psycopg.connect(server.url) as other:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        assert other.execute(asked).fetchone()[0] <= 5 + 3


@pytest.fixture(scope="module")
def run(server, web):
    """The id of a run that has ended."""
    body = {"method": "POST", "data": b'{"source": "x = 1"}'}
    asked = urllib.request.Request(f"http://127.0.0.1:{web}/api/v1/runs", **body)
    with urllib.request.urlopen(asked) as answer:
        made = json.load(answer)["id"]
    with psycopg.connect(server.url, autocommit=True) as other:
        ended = "UPDATE runs_run SET state = 'done', form = 'x', report = 'x' WHERE id = %s"
        other.execute(ended, (made,))
    return made


@pytest.mark.parametrize(
    "path", ["r/%00", "r/%00/card.png", "c/%00...%00", "e/%00", "w/%00", "docs/%00",
             "api/v1/runs/%00", "api/v1/runs/{run}/artifacts/%00", "api/v1/runs/{run}/texts/%00",
             "api/v1/workshops/%00", "api/v1/courses/%00/course.zip"],
)  # fmt: skip
def test_a_name_that_postgresql_cannot_look_for_is_nowhere(web, run, path):
    """200: a workshop's page is the same whatever its code."""
    status = asyncio.run(answered(web, f"/{path.format(run=run)}"))
    assert status == (200 if path.startswith("w/") else 404)


def test_pages_say_that_it_is_away_and_come_again_with_it(server, web):
    path = f"/r/{'a' * 24}"
    assert asyncio.run(answered(web, path)) == 404
    server.stop()
    try:
        began = time.monotonic()
        assert asyncio.run(answered(web, path)) == 503
        # Not for as long as for one of the connections that others have.
        assert time.monotonic() - began < SHARED_S / 2
        assert asyncio.run(answered(web, f"/api/v1/runs/{'a' * 24}")) == 503
    finally:
        server.start(f"max_connections={CONNECTIONS}")
    statuses = []
    until = time.monotonic() + 10
    while 404 not in statuses and time.monotonic() < until:
        statuses.append(asyncio.run(answered(web, path)))
    assert statuses[-1] == 404 and set(statuses) <= {404, 503}
