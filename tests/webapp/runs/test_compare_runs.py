"""GET /api/v1/runs/{a}/compare/{b}."""

import msgspec
import pytest

from compiler_core import report
from webapp.runs import events, lifecycle
from webapp.runs.models import Run

pytestmark = pytest.mark.service


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


def ended(run, story):
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    lifecycle.finish(run.pk, "done")
    return run.pk


def test_two_runs_are_said_to_differ_in_what_differs(make_run, story, bob):
    a = ended(make_run(), story)
    stage = story[2].stage
    text = msgspec.structs.replace(stage.artifacts[0], text="%0 = add %x, %x")
    changed = report.StageDone(0, msgspec.structs.replace(stage, artifacts=[text]))
    b = ended(make_run(), [*story[:2], changed, story[3]])
    got = bob.get(f"/api/v1/runs/{a}/compare/{b}").json()
    (program,) = got["programs"]
    assert (program["name"], program["at"]) == ("double", [0, 0])
    assert [(s["name"], s["texts"], s["at"]) for s in program["stages"]] == [
        ("Capture", ["ir"], [0, 0])
    ]
    assert not any(line["differs"] for line in (*got["about"], *program["figures"]))


def test_a_run_differs_from_itself_in_nothing_and_one_under_way_is_compared_so_far(
    make_run, story, bob
):
    a, running = ended(make_run(), story), make_run()
    assert bob.get(f"/api/v1/runs/{a}/compare/{a}").json()["programs"][0]["stages"] == []
    lifecycle.start(running.pk)
    events.append(running.pk, story[:2])
    (program,) = bob.get(f"/api/v1/runs/{a}/compare/{running.pk}").json()["programs"]
    assert [stage["at"] for stage in program["stages"]] == [[0, None]]


@pytest.mark.parametrize("pair", ["{0}/compare/nope", "nope/compare/{0}"])
def test_an_unknown_run_is_named(run, bob, pair):
    answer = bob.get(f"/api/v1/runs/{pair.format(run.pk)}")
    assert answer.status_code == 404
    assert 'There is no run "nope".' in answer.json()["error"]["message"]


def test_a_run_that_goes_on_is_compared_anew_each_time(make_run, story, bob):
    a, running = ended(make_run(), story), make_run()
    lifecycle.start(running.pk)
    events.append(running.pk, story[:2])
    (before,) = bob.get(f"/api/v1/runs/{running.pk}/compare/{a}").json()["programs"]
    assert [stage["at"] for stage in before["stages"]] == [[None, 0]]
    events.append(running.pk, story[2:])
    lifecycle.finish(running.pk, "done")
    (after,) = bob.get(f"/api/v1/runs/{running.pk}/compare/{a}").json()["programs"]
    assert after["stages"] == []


def test_nothing_is_said_any_more_of_a_run_that_was_deleted(make_run, story, bob):
    a, b = (ended(make_run(), story) for _ in range(2))
    assert bob.get(f"/api/v1/runs/{a}/compare/{b}").status_code == 200
    Run.objects.filter(pk=b).delete()
    assert bob.get(f"/api/v1/runs/{a}/compare/{b}").status_code == 404
