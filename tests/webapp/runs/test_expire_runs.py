"""`manage.py expire_runs`, and the sweep that new runs do."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from webapp.runs import expiry
from webapp.runs.models import Run, RunEvent

pytestmark = pytest.mark.service
YESTERDAY = timedelta(days=-1)


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


def expire_runs():
    said = StringIO()
    call_command("expire_runs", stdout=said)
    return said.getvalue()


def test_it_works(make_run):
    old = make_run(expires=timezone.now() + YESTERDAY, state="done")
    RunEvent.objects.create(run=old, seq=1, payload=b"{}")
    new = make_run()
    assert expire_runs() == "Gave up 0 lost runs, deleted 1 expired ones.\n"
    assert Run.objects.get() == new
    assert not RunEvent.objects.exists()


def test_a_run_lasts_thirty_days(run):
    assert timedelta(days=29) < run.expires - timezone.now() <= timedelta(days=30)


def test_a_shared_run_stays(make_run):
    make_run(shared=True, expires=None)
    make_run(shared=True, expires=timezone.now() + YESTERDAY)
    expire_runs()
    assert Run.objects.count() == 2


def test_a_run_that_no_worker_ends_fails_and_says_why(make_run, bob):
    run = make_run(created=timezone.now() - expiry.LOST_AFTER)
    make_run()
    assert "Gave up 1 lost runs" in expire_runs()
    got = bob.get(f"/api/v1/runs/{run.pk}").json()
    assert (got["state"], got["seq"]) == ("failed", 1)
    assert got["report"]["error"]["message"].startswith("The run was lost")


def test_more_than_one_sweep_can_take_is_deleted_too(make_run, monkeypatch):
    monkeypatch.setattr(expiry, "SWEEP_RUNS", 2)
    for _ in range(5):
        make_run(expires=timezone.now() + YESTERDAY)
    expire_runs()
    assert not Run.objects.exists()


def test_new_runs_sweep_now_and_then(make_run):
    make_run(expires=timezone.now() + YESTERDAY)
    assert expiry.sweep_if_due() == 1
    make_run(expires=timezone.now() + YESTERDAY)
    assert expiry.sweep_if_due() == 0
