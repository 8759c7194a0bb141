"""A run that was stored by an earlier version opens in this one."""

from pathlib import Path

import pytest

from compiler_core import report
from tests.webapp.conftest import SOURCE
from webapp.runs import views
from webapp.runs.models import State

STORED = Path(__file__).parents[2] / "compiler_core" / "report" / "stored"
pytestmark = pytest.mark.django_db


@pytest.fixture(params=sorted(STORED.glob("*.json")), ids=lambda path: path.name)
def stored(request, make_run):
    """A run of an earlier version, ended and frozen then."""
    return make_run(source=SOURCE, state=State.DONE, report=request.param.read_bytes())


def test_the_api_gives_its_report_as_one_of_today(stored, bob):
    got = bob.get(f"/api/v1/runs/{stored.pk}").json()["report"]
    assert got["schema"] == report.SCHEMA
    [program] = got["programs"]
    assert [graph["id"] for graph in program["graphs"]] == ["whole"]
    assert program["kernels"][0]["graph"] == "whole"


def test_what_is_stored_stays_as_it_was_written(stored, bob):
    before = bytes(stored.report)
    bob.get(f"/api/v1/runs/{stored.pk}")
    stored.refresh_from_db()
    assert bytes(stored.report) == before


def test_its_texts_keep_their_addresses(stored, bob):
    entries = bob.get(f"/api/v1/runs/{stored.pk}/artifacts").json()["artifacts"]
    assert "0.capture.ir" in [entry["path"] for entry in entries]
    for entry in entries:
        assert len(bob.get(entry["url"]).content) == entry["bytes"] > 0


def test_a_large_one_is_brought_into_todays_form_in_a_process_apart(stored, bob, monkeypatch):
    here = bob.get(f"/api/v1/runs/{stored.pk}").json()["report"]
    monkeypatch.setattr(views, "MOST_DECODED_BYTES", 0)
    monkeypatch.setattr(report, "current", None)
    assert bob.get(f"/api/v1/runs/{stored.pk}").json()["report"] == here
