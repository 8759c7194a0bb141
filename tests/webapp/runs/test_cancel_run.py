"""POST /api/v1/runs/{id}/cancel."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from webapp.runs import events, lifecycle

pytestmark = pytest.mark.service


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


@pytest.fixture
def run(alice, asked_by):
    return asked_by(alice)


def test_a_queued_run_ends_at_once(run, alice):
    answer = alice.post(f"/api/v1/runs/{run.pk}/cancel")
    assert (answer.status_code, answer.json()) == (200, {"id": run.pk, "state": "cancelled"})
    assert lifecycle.start(run.pk) is None


def test_a_running_run_keeps_what_it_reached(run, story, alice):
    lifecycle.start(run.pk)
    events.append(run.pk, story[:3])
    assert alice.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "cancelled"
    got = alice.get(f"/api/v1/runs/{run.pk}").json()
    assert len(got["report"]["programs"][0]["stages"]) == 1


def test_a_run_that_is_done_stays_done(run, alice):
    lifecycle.start(run.pk)
    lifecycle.finish(run.pk, "done")
    assert alice.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "done"


def test_an_unknown_id(bob):
    answer = bob.post("/api/v1/runs/nope/cancel")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == 'There is no run "nope".'


def test_who_has_only_the_link_ends_nobodys_run(run, bob):
    answer = bob.post(f"/api/v1/runs/{run.pk}/cancel")
    assert answer.status_code == 403
    assert "or run the same source yourself" in answer.json()["error"]["remedy"]
    run.refresh_from_db()
    assert run.state == "queued"


def test_a_run_that_somebody_else_waits_for_goes_on(run, asked_by, alice, bob):
    asked_by(bob, run)
    assert alice.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "queued"
    assert bob.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "cancelled"


def test_who_asks_again_waits_again(run, asked_by, alice, bob):
    asked_by(bob, run)
    alice.post(f"/api/v1/runs/{run.pk}/cancel")
    asked_by(alice, run)
    assert bob.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "queued"


@pytest.mark.parametrize("again", range(5))
def test_two_who_leave_at_once_leave_nobody(run, asked_by, alice, bob, again):
    """Who waits is not seen by another before it is stored: neither may be the other's reason to go
    on."""
    asked_by(bob, run)
    both = Barrier(2)

    def leave(who):
        both.wait()
        answer = who.post(f"/api/v1/runs/{run.pk}/cancel")
        connections.close_all()
        return answer.status_code

    with ThreadPoolExecutor(2) as people:
        assert [*people.map(leave, (alice, bob))] == [200, 200]
    run.refresh_from_db()
    assert run.state == "cancelled"
