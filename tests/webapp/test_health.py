"""GET /api/v1/health, /healthz and /readyz."""

import time

import msgspec
import pytest
import redis

from tests.databases import locked
from tests.ports import free_port
from tests.webapp.conftest import worker_info
from webapp.runs import pulse, workers

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
                "runs": 1,
                "beginning_s": 0.0,
                "problem": "",
                "proven_s": None,
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


def test_a_worker_whose_entry_a_clock_that_was_set_back_keeps_is_forgotten(
    server, living_worker, bob, monkeypatch
):
    def listed():
        return [each["id"] for each in bob.get("/api/v1/health").json()["workers"]]

    assert listed() == ["w1"]
    server.persist("fuselab:worker:w1")
    words, since = workers._seen["w1"]
    monkeypatch.setitem(workers._seen, "w1", (words, since - 3 * workers.BEAT_SECONDS))
    assert listed() == []
    workers.beat(living_worker)
    assert listed() == ["w1"]


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


def test_it_is_ready_only_when_a_run_has_gone_through_lately(server, living_worker, bob):
    got = bob.get("/readyz")
    assert (got.status_code, got.content) == (503, b"not ready: no worker has done a run lately\n")
    workers.beat(msgspec.structs.replace(living_worker, proven_s=1.0))
    got = bob.get("/readyz")
    assert (got.status_code, got.content) == (200, b"ready\n")


def test_a_worker_that_takes_no_runs_makes_it_unready_and_says_why(server, living_worker, bob):
    broken = {"queues": (), "problem": "no namespaces here", "proven_s": 1.0}
    workers.beat(msgspec.structs.replace(living_worker, **broken))
    got = bob.get("/readyz")
    assert (got.status_code, got.content) == (503, b"not ready: worker w1: no namespaces here\n")


def test_a_disk_that_is_full_makes_it_unready(server, living_worker, bob, settings):
    workers.beat(msgspec.structs.replace(living_worker, proven_s=1.0))
    settings.DISK_FLOOR_MB = 10**9
    assert bob.get("/readyz").content == b"not ready: there is too little free disk\n"


def test_it_is_not_ready_while_nothing_can_be_written(server, living_worker, bob, monkeypatch):
    workers.beat(msgspec.structs.replace(living_worker, proven_s=1.0))
    monkeypatch.setattr(pulse, "LATELY_S", 0.0)
    assert bob.get("/readyz").status_code == 200
    with locked():
        began = time.monotonic()
        got = [bob.get("/readyz") for _ in range(2)][-1]
        took = time.monotonic() - began
    assert bob.get("/readyz").status_code == 200
    pulse._Attempt.thread.join()
    # A lock is waited for by whoever writes, and not by whoever asks.
    assert took < 3 * pulse.SLOW_S
    message = b"not ready: the database takes nothing that is written\n"
    assert (got.status_code, got.content) == (503, message)
