"""DELETE /api/v1/runs/{id}: for whoever made it, by cookie or by token."""

import json

import pytest

from webapp.runs import owner
from webapp.runs.models import Run

pytestmark = pytest.mark.service


def make(client):
    body = json.dumps({"source": "x = 1"})
    return client.post("/api/v1/runs", body, content_type="application/json").json()


def test_it_works(server, alice):
    run = make(alice)["id"]
    assert alice.get(f"/api/v1/runs/{run}").json()["mine"] is True
    assert alice.delete(f"/api/v1/runs/{run}").status_code == 204
    assert not Run.objects.exists()
    assert alice.get(f"/api/v1/runs/{run}").status_code == 404


def test_who_has_only_the_link_cannot(server, alice, bob):
    run = make(alice)["id"]
    answer = bob.delete(f"/api/v1/runs/{run}")
    assert answer.status_code == 403
    assert answer.json()["error"]["message"] == f"Run {run} was made by somebody else."
    assert Run.objects.exists()


def test_a_script_deletes_with_the_token(server, alice, bob):
    result = make(alice)
    bearer = {"Authorization": f"Bearer {result['token']}"}
    assert bob.delete(f"/api/v1/runs/{result['id']}", headers=bearer).status_code == 204


@pytest.mark.parametrize("forged", ["x", "abc:def", "", ":", "é"])
def test_a_forged_token_is_nobodys(server, alice, bob, forged):
    run = make(alice)["id"]
    bearer = {"Authorization": f"Bearer {forged}"}
    assert bob.delete(f"/api/v1/runs/{run}", headers=bearer).status_code == 403


def test_a_run_without_an_owner_is_nobodys(server, run, bob):
    assert bob.delete(f"/api/v1/runs/{run.pk}").status_code == 403


def test_the_cookie_cannot_be_read_by_scripts_of_a_page(server, alice):
    make(alice)
    cookie = alice.cookies["fuselab_owner"]
    assert cookie["httponly"] and cookie["samesite"] == "Lax"


def test_the_database_does_not_hold_the_token(server, alice):
    token = make(alice)["token"]
    assert token not in str(Run.objects.values().get())


def test_one_person_has_one_token_for_all_runs(server, alice):
    assert make(alice)["token"] == make(alice)["token"]


def test_a_run_that_answers_somebody_else_too_stays_theirs(server, living_worker, alice, bob):
    run = make(alice)["id"]
    assert make(bob)["id"] == run
    assert bob.get(f"/api/v1/runs/{run}").json()["mine"] is True
    assert alice.delete(f"/api/v1/runs/{run}").status_code == 204
    assert alice.get(f"/api/v1/runs/{run}").json()["mine"] is False
    assert alice.delete(f"/api/v1/runs/{run}").status_code == 403
    assert bob.delete(f"/api/v1/runs/{run}").status_code == 204
    assert not Run.objects.exists()


def test_what_one_deletes_takes_the_room_of_whoever_asked_next(server, living_worker, alice, bob):
    run = make(alice)["id"]
    token = make(bob)["token"]
    alice.delete(f"/api/v1/runs/{run}")
    assert Run.objects.get().owner == owner.digest(token)


def test_asking_twice_oneself_is_no_hindrance(server, living_worker, alice):
    run = make(alice)["id"]
    assert make(alice)["id"] == run
    assert alice.delete(f"/api/v1/runs/{run}").status_code == 204
