"""GET /api/v1/runs, and PATCH: what somebody asked for, by the names that they give it."""

import json

import pytest

pytestmark = pytest.mark.django_db


def listed(client):
    return client.get("/api/v1/runs").json()["runs"]


def rename(client, run, name):
    body = json.dumps({"name": name})
    return client.patch(f"/api/v1/runs/{run.pk}", body, content_type="application/json")


def test_the_newest_of_ones_own_is_first_and_nobody_elses_is_there(alice, bob, asked_by):
    asked_by(bob)
    first, second = asked_by(alice), asked_by(alice)
    assert [run["id"] for run in listed(alice)] == [second.pk, first.pk]


def test_who_asked_for_nothing_has_an_empty_list(alice, asked_by, bob):
    asked_by(bob)
    assert listed(alice) == []


def test_a_run_is_called_by_its_title_until_it_is_renamed(alice, asked_by, make_run):
    run = asked_by(alice, make_run(title="Softmax"))
    assert listed(alice)[0]["name"] == "Softmax"
    assert rename(alice, run, "  mine ").status_code == 204
    assert listed(alice)[0]["name"] == "mine"
    rename(alice, run, "")
    assert listed(alice)[0]["name"] == "Softmax"


def test_a_name_is_seen_by_who_gave_it_alone(alice, bob, asked_by):
    run = asked_by(alice)
    asked_by(bob, run)
    rename(alice, run, "mine")
    assert [run["name"] for run in listed(bob)] == ["A snippet"]


def test_who_has_only_the_link_renames_nothing(alice, bob, asked_by):
    assert rename(bob, asked_by(alice), "theirs").status_code == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("{}", 422),
        ('{"name": 1}', 422),
        (b'{"name": "\xff"}', 400),
        # Deeper than Python decodes; and more outside its texts than any body may have.
        ('{"name": "deep", "more": ' + "[" * 50_000 + "]" * 50_000 + "}", 400),
        ('{"name": "long", "more": ' + "[" * 100_000 + "]" * 100_000 + "}", 413),
    ],
    ids=lambda given: str(given)[:14],
)
def test_a_body_without_a_name_is_refused(alice, asked_by, body, status):
    run = asked_by(alice)
    answer = alice.patch(f"/api/v1/runs/{run.pk}", body, content_type="application/json")
    assert answer.status_code == status
    assert answer.json()["error"]["remedy"].startswith("Send ")


@pytest.mark.parametrize("name", ["x" * 81, "a\u202eb", "a\nb"])
def test_a_name_that_cannot_be_shown_is_refused(alice, asked_by, name):
    assert rename(alice, asked_by(alice), name).status_code == 422
