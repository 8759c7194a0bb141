"""GET /api/v1/runs/{id}."""

import json
from datetime import datetime

import pytest
from django.test import RequestFactory

from compiler_core import report
from webapp.budget import Budgets, Purse
from webapp.runs import api, asks, events, lifecycle, live, sending, views
from webapp.runs.models import Run

pytestmark = [
    pytest.mark.service,
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume"),
]


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


def test_it_works(run, source, story, bob):
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    lifecycle.finish(run.pk, "done")
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["id"], got["url"], got["state"], got["seq"]) == (run.pk, f"/r/{run.pk}", "done", 4)
    assert (got["source"], got["options"]["target"]) == (source, "auto")
    assert (got["shared"], got["mine"]) == (False, False)
    assert got["created"] <= got["started"] <= got["finished"] < got["expires"]
    took = datetime.fromisoformat(got["finished"]) - datetime.fromisoformat(got["created"])
    assert got["seconds"] == pytest.approx(took.total_seconds(), abs=0.001)
    assert got["report"]["schema"] == report.SCHEMA
    assert got["report"]["programs"][0]["name"] == "double"


def test_a_queued_run_has_an_empty_report(run, bob):
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["state"], got["seq"], got["report"]["programs"]) == ("queued", 0, [])


def test_a_running_run_has_its_report_so_far(run, story, bob):
    lifecycle.start(run.pk)
    events.append(run.pk, story[:2])
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["state"], got["seq"]) == ("running", 2)
    assert got["report"]["programs"][0]["stages"] == []


def test_of_a_run_that_says_much_the_beginning_is_shown_while_it_goes_on(run, bob, monkeypatch):
    monkeypatch.setattr(views, "MOST_LIVE_BYTES", 50_000)
    lifecycle.start(run.pk)
    events.append(run.pk, [report.Printed("stdout", "x" * 20_000) for _ in range(4)])
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert got["seq"] == 2
    assert len(got["report"]["output"]["stdout"]) == 40_000
    assert "This is the beginning of the run" in got["report"]["notices"][0]["text"]
    lifecycle.finish(run.pk, "done")
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["seq"], len(got["report"]["output"]["stdout"])) == (4, 80_000)


def much(run):
    """More than is read of a run that goes on."""
    lifecycle.start(run.pk)
    events.append(run.pk, [report.Printed("stdout", "x" * 20_000) for _ in range(4)])


MEMORY = report.Failure("memory", "It used more than it may.")


def test_the_end_of_a_run_is_seen_with_all_of_its_report(run, bob, monkeypatch):
    monkeypatch.setattr(views, "MOST_LIVE_BYTES", 50_000)
    much(run)
    at_once = []

    def look(run_id):
        at_once.append(bob.get(f"/api/v1/runs/{run_id}").json())

    monkeypatch.setattr(lifecycle, "announce", look)
    lifecycle.finish(run.pk, "failed", MEMORY)
    (got,) = at_once
    assert (got["state"], got["seq"]) == ("failed", 5)
    assert got["report"]["error"]["stage"] == "memory"
    assert len(got["report"]["output"]["stdout"]) == 80_000
    assert got["report"]["notices"] == []


def test_what_a_run_that_goes_on_has_said_is_decoded_apart_where_it_is_large(run, bob, monkeypatch):
    much(run)
    here = bob.get(f"/api/v1/runs/{run.pk}").json()["report"]
    monkeypatch.setattr(views, "MOST_APPLIED_BYTES", 50_000)
    monkeypatch.setattr(views, "_live", live.known_reports())
    monkeypatch.setattr(report, "decode_event", None)
    assert bob.get(f"/api/v1/runs/{run.pk}").json()["report"] == here
    assert len(here["output"]["stdout"]) == 80_000


def polled(run, purse, headers=None):
    """What a script is answered that waits for the end of a run."""
    request = RequestFactory().get("/?texts=none", headers=headers or {})
    request.scope = {"purse": purse}
    return sending.sent(request, Run.objects.get(pk=run.pk), mine=False, with_texts=False)


def seq_of(answer):
    return json.loads(b"".join(answer))["seq"]


def test_who_asks_again_and_again_of_a_run_that_goes_on_is_not_refused(run):
    clock = Clock()
    # To decode what the run has said takes twice what is there in a second.
    purse = Purse(Budgets(10, 20, clock), "a")
    much(run)
    seen = []
    for _ in range(8):
        events.append(run.pk, [report.Printed("stdout", "y")])
        seen.append(seq_of(polled(run, purse)))
        clock.now += 1
    # Each time all that there was, or what could be decoded last.
    assert seen == [5, 5, 7, 7, 9, 9, 11, 11]


def test_nothing_is_decoded_again_before_more_was_said(run, monkeypatch):
    much(run)
    purse = Purse(Budgets(0.001, 20, Clock()), "a")
    first = polled(run, purse)
    monkeypatch.setattr(report, "decode_event", None)
    assert seq_of(polled(run, purse)) == seq_of(first) == 4
    asked = {"If-None-Match": first.headers["ETag"]}
    again = polled(run, purse, asked)
    assert (again.status_code, again.content) == (304, b"")
    monkeypatch.undo()
    lifecycle.finish(run.pk, "done")
    ended = polled(run, Purse(Budgets(10, 100), "b"), asked)
    assert (ended.status_code, seq_of(ended)) == (200, 4)
    assert ended.headers["ETag"] != first.headers["ETag"]
    asked = {"If-None-Match": ended.headers["ETag"]}
    assert polled(run, purse, asked).status_code == 304


def test_a_run_that_ended_without_a_worker_says_why_and_that_more_is_to_come(run, bob, monkeypatch):
    monkeypatch.setattr(views, "MOST_LIVE_BYTES", 50_000)
    much(run)
    lifecycle.end(run.pk, "failed", MEMORY)
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["state"], got["report"]["error"]["stage"]) == ("failed", "memory")
    assert "It has ended, and the rest is here in a moment" in got["report"]["notices"][0]["text"]
    lifecycle.freeze_left()
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["report"]["error"]["stage"], got["report"]["notices"]) == ("memory", [])
    assert len(got["report"]["output"]["stdout"]) == 80_000


def test_a_run_that_ends_while_it_is_read_is_told_as_ended(run, story, monkeypatch):
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    before = api.find(run.pk)
    lifecycle.finish(run.pk, "done")
    got = json.loads(sending.sent(RequestFactory().get("/"), before, False, True).content)
    assert (got["state"], got["seq"]) == ("done", 4)
    assert got["finished"]


def test_a_run_that_is_deleted_while_it_is_read_is_no_mistake_of_the_server(
    run, story, bob, monkeypatch
):
    def deleted(found, who):
        Run.objects.filter(pk=found.pk).delete()

    monkeypatch.setattr(asks, "asked", deleted)
    answer = bob.get(f"/api/v1/runs/{run.pk}")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"] == "It was deleted a moment ago."


def test_a_run_that_is_begun_again_has_no_beginning_of_which_more_is_to_come(run, story, bob):
    lifecycle.start(run.pk)
    events.append(run.pk, story[:2])
    lifecycle.wait_again(run.pk, 1)
    lifecycle.start(run.pk)
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["seq"], got["report"]["notices"]) == (2, [])


@pytest.mark.parametrize("unknown", ["nope", "a" * 24, "a" * 5000, "%00", "..%2f..", "é"])
def test_an_unknown_id_is_one_sentence(bob, unknown):
    answer = bob.get(f"/api/v1/runs/{unknown}")
    assert answer.status_code == 404
    assert answer.json()["error"]["message"].count(".") >= 1
    assert answer.headers["Content-Type"] == "application/json"


@pytest.mark.django_db
def test_the_source_is_plain_text(make_run, bob):
    answer = bob.get(f"/api/v1/runs/{make_run(source='<b>é</b>').pk}/source")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content.decode() == "<b>é</b>"
