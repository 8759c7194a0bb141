"""Runs that are refused because there is no room for them."""

import shutil
from collections import namedtuple

import pytest
from django.test import Client

from webapp.runs import owner
from webapp.runs.models import Run, RunAsk

pytestmark = pytest.mark.service
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def _worker(living_worker):
    """Runs are taken."""


def ask(client, source, **fields):
    return client.post(
        "/api/v1/runs", {"source": source, **fields}, content_type="application/json"
    )


def refused(answer):
    return answer.status_code, answer.json()["error"]["message"]


def test_below_a_floor_of_free_disk(alice, source, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 2**40, 2**20))
    message = "There is too little room on this server's disk for another run."
    assert refused(ask(alice, source)) == (503, message)
    assert not Run.objects.exists()


def test_when_all_runs_take_what_they_may(alice, source, make_run, settings):
    settings.RUNS_MB = 1
    make_run(stored=2**20 + 1)
    assert refused(ask(alice, source)) == (503, "The runs kept here take their 1 MiB.")


def test_when_those_of_one_person_do(alice, bob, source, settings):
    settings.OWNER_MB = 1
    assert ask(alice, source).status_code == 201
    Run.objects.update(stored=2**20 + 1)
    assert refused(ask(alice, source + "#")) == (429, "Your runs take their 1 MiB.")
    assert ask(bob, source + "#").status_code == 201


def test_askings_for_runs_of_others_count(alice, bob, source, settings, asked_by):
    settings.OWNER_MB = 1
    who = asked_by(alice).owner
    runs = Run.objects.bulk_create(Run(source="x", options={}) for _ in range(1025))
    RunAsk.objects.bulk_create(RunAsk(run=run, owner=who) for run in runs)
    assert refused(ask(alice, source)) == (429, "Your runs take their 1 MiB.")
    assert ask(bob, source).status_code == 201


def test_sources_count_also_of_runs_that_are_cancelled_before_they_begin(alice, source, settings):
    settings.OWNER_MB = 1
    long = source + "\n#" + "x" * 240_000
    for each in range(5):
        run = ask(alice, f"{long}{each}")
        assert run.status_code == 201
        alice.post(f"/api/v1/runs/{run.json()['id']}/cancel")
    assert refused(ask(alice, source)) == (429, "Your runs take their 1 MiB.")


def test_when_those_of_one_address_do_whoever_keeps_no_cookie(source, settings):
    settings.ADDRESS_MB = 1
    here, there = {"REMOTE_ADDR": "2001:db8::1"}, {"REMOTE_ADDR": "2001:db9::1"}
    assert ask(Client(**here), source).status_code == 201
    stored = Run.objects.get()
    assert stored.address and "2001" not in stored.address
    Run.objects.update(stored=2**20 + 1)
    message = "The runs asked for from this address take their 1 MiB."
    assert refused(ask(Client(**here), source + "#")) == (429, message)
    beside = {"REMOTE_ADDR": "2001:db8::2"}
    assert refused(ask(Client(**beside), source + "#")) == (429, message)
    assert ask(Client(**there), source + "#").status_code == 201


def test_what_is_there_already_takes_no_room(alice, bob, source, settings):
    first = ask(alice, source).json()
    settings.RUNS_MB = 0
    Run.objects.update(stored=1)
    again = ask(bob, source)
    assert (again.status_code, again.json()["id"]) == (201, first["id"])


def test_a_deleted_run_takes_none(alice, source, settings):
    settings.OWNER_MB = 1
    token = ask(alice, source).json()["token"]
    Run.objects.update(stored=2**20 + 1, owner=owner.digest(token))
    assert ask(alice, source + "#").status_code == 429
    alice.delete(f"/api/v1/runs/{Run.objects.get().pk}")
    assert ask(alice, source + "#").status_code == 201
