"""POST /api/v1/runs while Redis, or the database, is away."""

import json
import time

import pytest
import redis
from celery import Celery
from django.db import OperationalError

from tests.databases import locked
from tests.ports import free_port
from webapp.databases import LOCKED_S
from webapp.runs import asks, lifecycle, queue, workers
from webapp.runs.models import Run

pytestmark = pytest.mark.service


def test_a_request_is_told_that_redis_is_away(server, alice, monkeypatch):
    away = redis.Redis.from_url(f"redis://127.0.0.1:{free_port()}")
    monkeypatch.setattr(workers, "connection", lambda: away)
    answer = alice.post(
        "/api/v1/runs", json.dumps({"source": "x"}), content_type="application/json"
    )
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json()["error"]["message"] == "Redis cannot be reached."
    assert not Run.objects.exists()


def test_a_run_that_could_not_be_sent_fails_and_says_so(server, alice, monkeypatch):
    away = Celery("away", set_as_current=False)
    away.config_from_object("django.conf:settings", namespace="CELERY")
    away.conf.broker_url = f"redis://127.0.0.1:{free_port()}/0"
    monkeypatch.setattr(queue, "producer", lambda: away)
    answer = alice.post(
        "/api/v1/runs", json.dumps({"source": "x"}), content_type="application/json"
    )
    assert answer.status_code == 503
    assert answer.json()["error"]["message"] == "The queue cannot be reached."
    run = Run.objects.get()
    assert run.state == "failed"
    assert alice.get(f"/api/v1/runs/{run.pk}").json()["report"]["error"]["stage"] == "queue"
    assert not lifecycle.cancel(run.pk)


def test_a_run_that_is_stored_in_part_is_not_there(server, alice, monkeypatch):
    def full(*parts):
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(asks, "ask", full)
    answer = alice.post(
        "/api/v1/runs", json.dumps({"source": "x"}), content_type="application/json"
    )
    assert answer.status_code == 503
    assert not Run.objects.exists()


def test_a_request_is_told_that_the_database_is_locked_before_somebody_gives_up(server, alice):
    with locked():
        began = time.monotonic()
        answer = alice.post(
            "/api/v1/runs", json.dumps({"source": "x"}), content_type="application/json"
        )
        took = time.monotonic() - began
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.json()["error"] == {
        "message": "The database does not answer, or takes nothing new.",
        "remedy": "Try again in 5 s.",
        "input": "",
    }
    assert LOCKED_S <= took < LOCKED_S + 2
    assert not Run.objects.exists()
    again = alice.post("/api/v1/runs", json.dumps({"source": "x"}), content_type="application/json")
    assert again.status_code == 201
