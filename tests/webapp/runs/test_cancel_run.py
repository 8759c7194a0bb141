"""POST /api/v1/runs/{id}/cancel."""

import pytest

from webapp.runs import events, lifecycle

pytestmark = pytest.mark.service


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


def test_a_queued_run_ends_at_once(run, bob):
    answer = bob.post(f"/api/v1/runs/{run.pk}/cancel")
    assert (answer.status_code, answer.json()) == (200, {"id": run.pk, "state": "cancelled"})
    assert lifecycle.start(run.pk) is None


def test_a_running_run_keeps_what_it_reached(run, story, bob):
    lifecycle.start(run.pk)
    events.append(run.pk, story[:3])
    assert bob.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "cancelled"
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert len(got["report"]["programs"][0]["stages"]) == 1


def test_a_run_that_is_done_stays_done(run, bob):
    lifecycle.start(run.pk)
    lifecycle.finish(run.pk, "done")
    assert bob.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "done"


def test_an_unknown_id(bob):
    answer = bob.post("/api/v1/runs/nope/cancel")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == 'There is no run "nope".'
