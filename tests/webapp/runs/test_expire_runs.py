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
    assert expire_runs() == "Deleted 1 expired runs.\n"
    assert Run.objects.get() == new
    assert not RunEvent.objects.exists()


def test_a_run_lasts_thirty_days(run):
    assert timedelta(days=29) < run.expires - timezone.now() <= timedelta(days=30)


def test_a_shared_run_stays(make_run):
    make_run(shared=True, expires=None)
    make_run(shared=True, expires=timezone.now() + YESTERDAY)
    expire_runs()
    assert Run.objects.count() == 2


def test_a_run_that_waits_for_long_is_not_given_up(make_run):
    run = make_run(created=timezone.now() - timedelta(days=1))
    expire_runs()
    run.refresh_from_db()
    assert run.state == "queued"


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
