"""GET /api/v1/health and /healthz."""

import pytest
import redis

from tests.ports import free_port
from tests.webapp.conftest import worker_info
from webapp.runs import workers

pytestmark = pytest.mark.service


def test_it_works(server, living_worker, bob):
    server.lpush("cpu", "a task")
    got = bob.get("/api/v1/health")
    assert got.status_code == 200
    assert got.json() == {
        "ok": True,
        "db": True,
        "redis": True,
        "workers": [
            {
                "id": "w1",
                "queues": ["cpu"],
                "devices": {"cpu": "Some CPU"},
                "toolchain": {"torch": "2.13.0"},
                "toolchains": {},
                "extras": {},
            }
        ],
        "waiting": {"cpu": 1, "cuda": 0},
    }
    assert bob.get("/healthz").content == b"ok\n"


def test_a_worker_that_went_silent_is_forgotten(server, living_worker, bob):
    assert 0 < server.ttl("fuselab:worker:w1") <= 3 * workers.BEAT_SECONDS
    server.delete("fuselab:worker:w1")
    assert bob.get("/api/v1/health").json()["workers"] == []
    assert server.smembers("fuselab:workers") == set()


def test_two_workers_of_one_queue_are_both_listed(server, living_worker, bob):
    workers.beat(worker_info("w2", "cpu", "cuda", gpu=True, torch="2.14.0"))
    listed = bob.get("/api/v1/health").json()["workers"]
    assert [(each["id"], each["queues"]) for each in listed] == [
        ("w1", ["cpu"]),
        ("w2", ["cpu", "cuda"]),
    ]


def test_a_worker_that_left_is_not_listed(server, living_worker, bob):
    workers.leave(living_worker.id)
    assert bob.get("/api/v1/health").json()["workers"] == []


def test_redis_that_is_away_is_named(server, bob, monkeypatch):
    away = redis.Redis.from_url(f"redis://127.0.0.1:{free_port()}")
    monkeypatch.setattr(workers, "connection", lambda: away)
    got = bob.get("/api/v1/health")
    assert (got.status_code, got.json()["redis"], got.json()["db"]) == (503, False, True)
    plain = bob.get("/healthz")
    assert (plain.status_code, plain.content) == (503, b"cannot reach: redis\n")
