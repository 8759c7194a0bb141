"""What is done in a process apart: within its limits, and knowing nothing of the service."""

import json

import pytest

from compiler_core import report
from tests.webapp.apart import tasks
from webapp.apart import asking
from webapp.apart.limits import RETURNED_BYTES
from webapp.errors import Refused
from webapp.runs import events, lifecycle
from webapp.runs.models import Run

pytestmark = pytest.mark.service


def test_it_is_given_bytes_and_returns_bytes():
    assert asking.done(tasks.joined, b"\x00a", b"\xffb") == b"\x00a\xffb"


@pytest.mark.parametrize("what", [tasks.hungry, tasks.slow])
def test_what_takes_too_much_is_refused_and_the_next_is_done(what, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(asking, "WALL_S", 2)
        with pytest.raises(Refused, match="more than can be read at once") as refused:
            asking.done(what)
    assert refused.value.refusal.status == 422
    assert asking.done(tasks.joined, b"a", b"b") == b"ab"


def test_what_returns_more_than_may_be_held_here_is_refused():
    """From a report of a few KiB, each of whose names comes a thousand times."""
    assert len(asking.done(tasks.large, b"%d" % RETURNED_BYTES)) == RETURNED_BYTES
    with pytest.raises(Refused, match="more than can be read at once"):
        asking.done(tasks.large, b"%d" % (RETURNED_BYTES + 1))


def test_it_knows_no_secret_and_goes_after_others(monkeypatch):
    monkeypatch.setenv("FUSELAB_SECRET_KEY", "a secret")
    told, niceness = json.loads(asking.done(tasks.environment))
    assert "a secret" not in str(told) and "DATABASE_URL" not in told
    assert niceness >= 5


def test_too_many_at_a_time_are_told_to_come_again(monkeypatch):
    monkeypatch.setattr(asking, "WAIT_S", 0)
    monkeypatch.setattr(asking, "_places", asking.BoundedSemaphore(1))
    asking._places.acquire()
    with pytest.raises(Refused) as refused:
        asking.done(tasks.joined, b"a", b"b")
    assert refused.value.refusal.status == 503
    asking._places.release()
    assert asking.done(tasks.joined, b"a", b"b") == b"ab"


def test_two_runs_are_compared_without_decoding_either_here(
    server, make_run, story, bob, monkeypatch
):
    ended: list[Run] = []
    for _ in range(2):
        run = make_run()
        lifecycle.start(run.pk)
        events.append(run.pk, story)
        lifecycle.finish(run.pk, "done")
        ended.append(run)
    monkeypatch.setattr(report, "decode_report", None)
    monkeypatch.setattr(report, "decode_event", None)
    answer = bob.get(f"/api/v1/runs/{ended[0].pk}/compare/{ended[1].pk}")
    assert answer.json()["programs"][0]["name"] == "double"
