"""The states of a run and the events that it keeps."""

from datetime import timedelta

import pytest
from django.utils import timezone

from compiler_core import report
from webapp.runs import events, frozen, lifecycle
from webapp.runs.models import Run, State

pytestmark = pytest.mark.service


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


def test_it_works(run, story):
    assert lifecycle.start(run.pk).state == State.RUNNING
    assert events.append(run.pk, story[:2]) == 2
    assert events.append(run.pk, story[2:]) == 4
    assert lifecycle.finish(run.pk, "done")

    run.refresh_from_db()
    assert run.state == "done" and run.started <= run.finished
    whole = report.decode_report(frozen.read(run))
    assert whole.programs[0].stages[0].artifacts[0].name == "ir"
    assert whole.protocol == "measured twice"


def test_events_are_read_from_any_number(run, story):
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    assert [seq for seq, _ in events.after(run.pk, 0)] == [1, 2, 3, 4]
    assert [seq for seq, _ in events.after(run.pk, 0, limit=2)] == [1, 2]
    [(seq, payload)] = events.after(run.pk, 3)
    assert (seq, report.decode_event(payload)) == (4, story[3])
    assert events.after(run.pk, 4) == []


def test_a_run_put_back_begins_afresh_with_higher_numbers(run, story):
    first = lifecycle.start(run.pk)
    events.append(run.pk, story[:3])
    assert lifecycle.wait_again(run.pk, first.attempt)
    assert lifecycle.start(run.pk) is not None
    assert events.after(run.pk, 0) == []
    assert events.append(run.pk, story) == 7
    lifecycle.finish(run.pk, "done")
    assert len(report.decode_report(frozen.read(Run.objects.get())).programs) == 1


@pytest.mark.parametrize("final", ["done", "failed", "cancelled"])
def test_a_run_that_has_ended_does_not_start_again(run, final):
    lifecycle.finish(run.pk, final)
    assert lifecycle.start(run.pk) is None
    assert not lifecycle.finish(run.pk, "done")
    run.refresh_from_db()
    assert run.state == final


def test_how_long_runs_took_is_the_mean_of_those_that_are_done(make_run):
    assert lifecycle.took_lately_s() == 0
    now = timezone.now()
    for state, seconds in (("done", 2), ("done", 4), ("failed", 60), ("running", 60)):
        make_run(state=state, started=now, finished=now + timedelta(seconds=seconds))
    assert lifecycle.took_lately_s() == 3


def test_a_run_does_not_end_in_a_state_that_is_no_end(run):
    with pytest.raises(ValueError, match="does not end 'running'"):
        lifecycle.finish(run.pk, "running")


def test_a_cancelled_run_keeps_what_it_reached_and_takes_no_more(run, story):
    lifecycle.start(run.pk)
    events.append(run.pk, story[:2])
    assert not lifecycle.unwanted([(run.pk, 1)])
    assert lifecycle.cancel(run.pk)
    assert lifecycle.unwanted([(run.pk, 1)]) == {(run.pk, 1)}
    assert events.append(run.pk, story[2:]) == 2
    run.refresh_from_db()
    assert events.report_so_far(run.pk).programs[0].name == "double"
    assert len(events.after(run.pk, 0)) == 2
    assert not lifecycle.finish(run.pk, "failed")
    run.refresh_from_db()
    assert run.state == "cancelled"
    assert report.decode_report(frozen.read(run)).programs[0].name == "double"


def test_who_ends_a_run_from_the_web_decodes_nothing_and_the_next_worker_freezes_it(
    run, make_run, asked_by, story, bob, monkeypatch
):
    asked_by(bob, run)
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    with monkeypatch.context() as patch:
        patch.setattr(report, "decode_event", None)
        assert bob.post(f"/api/v1/runs/{run.pk}/cancel").json()["state"] == "cancelled"
    before = bob.get(f"/api/v1/runs/{run.pk}").json()["report"]
    other = make_run()
    lifecycle.start(other.pk)
    lifecycle.finish(other.pk, "done")
    run.refresh_from_db()
    assert run.report
    assert bob.get(f"/api/v1/runs/{run.pk}").json()["report"] == before


def test_a_deleted_run_tells_its_worker_to_stop(run, story):
    lifecycle.start(run.pk)
    Run.objects.all().delete()
    assert lifecycle.unwanted([(run.pk, 1)]) == {(run.pk, 1)}
    assert events.append(run.pk, story) == 0
    assert lifecycle.start(run.pk) is None


def test_an_event_out_of_place_is_left_out_and_the_report_says_so(run, story):
    lifecycle.start(run.pk)
    events.append(run.pk, [story[0], report.ProgramFailed(7, report.Failure("capture", "no"))])
    whole = events.report_so_far(run.pk)
    assert whole.programs == []
    assert [notice.level for notice in whole.notices] == ["error"]


def test_an_empty_batch_changes_nothing(run, story):
    lifecycle.start(run.pk)
    events.append(run.pk, story[:1])
    assert events.append(run.pk, []) == 1
