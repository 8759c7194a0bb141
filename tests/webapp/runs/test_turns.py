"""People take turns, however many runs each of them queues."""

import json
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client
from django.utils import timezone
from msgspec import structs

from tests.webapp.conftest import worker_info
from webapp.runs import turns, workers
from webapp.runs.models import Run, RunAsk, State

pytestmark = pytest.mark.service


@pytest.fixture
def queued(make_run):
    """Runs of the people named, one letter each, in the order in which they ask; by name and
    number: a1, b1, a2."""

    def queue(who, **fields):
        seen = {}
        for at, owner in enumerate(who):
            seen[owner] = seen.get(owner, 0) + 1
            created = timezone.now() + timedelta(microseconds=at)
            make_run(owner=owner, title=f"{owner}{seen[owner]}", created=created, **fields)

    return queue


def titles(ids):
    by_id = dict(Run.objects.values_list("pk", "title"))
    return " ".join(by_id[run_id] for run_id in ids)


def served(times, place="cpu"):
    begun = (turns.begin_next(place, "w1") for _ in range(times))
    return " ".join(run.title for run in begun if run)


@pytest.mark.parametrize(
    ("asked", "order"),
    [("", ""), ("abc", "a1 b1 c1"), ("aaab", "a1 b1 a2 a3"), ("aabbc", "a1 b1 c1 a2 b2")],
)
def test_those_who_wait_take_turns(queued, asked, order):
    queued(asked)
    assert titles(turns.order("cpu")) == order
    assert served(9) == order


def test_who_was_served_is_behind_those_who_came_before(queued):
    queued("aaa")
    assert served(1) == "a1"
    queued("b")
    assert served(3) == "a2 b1 a3"


def test_new_names_pass_over_nobody_for_ever(queued):
    queued("aa")
    assert served(1) == "a1"
    for name in "stuvwxyz":
        queued(name)
    assert "a2" in served(1)


def test_who_came_before_the_clock_was_set_back_is_before_all_that_come_since(queued):
    queued("ab")
    Run.objects.update(created=F("created") + timedelta(hours=1))
    queued("c")
    assert served(3) == "a1 b1 c1"
    Run.objects.filter(owner="a").update(started=timezone.now() + timedelta(hours=1))
    queued("ac")
    assert served(2) == "a1 c1"


def test_what_nobody_waits_to_see_lets_those_begin_first_who_do_but_not_for_ever(queued):
    queued("h")
    queued("aab", address="10.0.0.1")
    assert titles(turns.order("cpu")) == "a1 b1 a2 h1"
    assert titles(turns.order("cpu", unseen=False)) == "a1 b1 a2"
    Run.objects.update(created=F("created") - timedelta(seconds=turns.PATIENCE_S))
    queued("c", address="10.0.0.1")
    assert served(9) == "h1 a1 b1 c1 a2"
    queued("h")
    assert turns.begin_next("cpu", "w1", unseen=False) is None
    assert served(1) == "h1"


def test_places_have_turns_of_their_own(queued):
    queued("a", queue="cuda")
    queued("b", options={"toolchain": "jax-0.9"})
    queued("c")
    assert served(2) == "c1"
    assert served(2, "cuda") == "a1"
    assert served(2, "cpu.jax-0.9") == "b1"


def test_a_worker_knows_how_many_wait_that_it_could_take(queued):
    queued("a", queue="cuda")
    queued("bb", options={"toolchain": "jax-0.9"})
    queued("cab", options={"toolchain": ""})
    queued("d")
    served(1)
    assert turns.waiting_at(["cpu"]) == 3
    assert turns.waiting_at(["cpu", "cpu.jax-0.9"]) == 5
    assert turns.waiting_at(["cuda.jax-0.9"]) == 0


def test_a_task_is_a_turn_and_not_one_runs_own(queued):
    queued("aab")
    second = Run.objects.get(title="a2")
    assert turns.begin_next("cpu", "w1").pk != second.pk


def test_a_turn_whose_run_is_begun_by_another_meanwhile_is_the_next_ones(queued, monkeypatch):
    """Two tasks come at once, and the second run is stored after the first task has looked."""
    queued("a")

    def meanwhile(waiting):
        monkeypatch.setattr(turns, "PRECEDENCE", [])
        queued("b")
        assert turns.begin_next("cpu", "w2").title == "a1"
        return waiting

    monkeypatch.setattr(turns, "PRECEDENCE", [meanwhile])
    assert served(1) == "b1"
    assert served(1) == ""


def test_who_waits_is_told_how_many_are_before_and_about_how_long(server, queued, bob):
    workers.beat(structs.replace(worker_info(), runs=2, beginning_s=4.0))
    workers.beat(worker_info("new"))
    queued("aab")
    served(1)
    last = bob.get(f"/api/v1/runs/{Run.objects.get(title='a2').pk}").json()
    assert (last["ahead"], last["wait_s"], last["waits_for"]) == (1, 4, "")
    running = bob.get(f"/api/v1/runs/{Run.objects.get(title='a1').pk}").json()
    assert (running["ahead"], running["wait_s"]) == (None, None)


def test_without_workers_nobody_knows_how_long(server, queued):
    queued("ab")
    assert turns.ahead(Run.objects.get(title="b1")) == turns.Ahead(1, None, "no worker is there")


@pytest.mark.parametrize("queues", [("cpu",), ()], ids=["soon", "it cannot work"])
def test_who_waits_is_told_why_no_worker_takes_runs_now(server, queued, bob, queues):
    why = "the compiler is being started"
    workers.beat(structs.replace(worker_info(), queues=queues, problem=why))
    queued("a")
    [only] = Run.objects.all()
    assert bob.get(f"/api/v1/runs/{only.pk}").json()["waits_for"] == why
    workers.beat(worker_info("another"))
    assert bob.get(f"/api/v1/runs/{only.pk}").json()["waits_for"] == ""


def post(client, source, **more):
    body = json.dumps({"source": source, **more})
    return client.post("/api/v1/runs", body, content_type="application/json")


def test_one_address_may_have_so_many_waiting_whoever_keeps_no_cookie(server, settings):
    settings.ADDRESS_WAITING = 2

    def ask(number, address):
        return post(Client(REMOTE_ADDR=address), f"x = {number}")

    assert [ask(n, "10.0.0.1").status_code for n in range(3)] == [201, 201, 429]
    refused = ask(3, "10.0.0.1").json()["error"]["message"]
    assert refused == "2 runs that were asked for from this address wait already."
    assert ask(4, "10.0.0.2").status_code == 201
    turns.begin_next("cpu", "w1")
    assert ask(5, "10.0.0.1").status_code == 201


def test_one_person_may_have_so_many_waiting(server, alice, bob, settings):
    settings.WAITING = 3
    assert [post(alice, f"x = {i}").status_code for i in range(4)] == [201, 201, 201, 429]
    refused = post(alice, "x = 9").json()["error"]
    assert refused["message"] == "3 of your runs wait already, and no more than 3 may."
    assert post(bob, "x = 9").status_code == 201
    turns.begin_next("cpu", "w1")
    assert post(alice, "x = 9").status_code == 201


def test_the_newest_run_of_an_editor_replaces_the_one_that_waits(server, alice, bob):
    old = post(alice, "x = 1", editor="e1").json()["id"]
    other = post(alice, "x = 2", editor="e2").json()["id"]
    foreign = post(bob, "x = 3", editor="e1").json()["id"]
    new = post(alice, "x = 4", editor="e1").json()["id"]
    states = dict(Run.objects.values_list("pk", "state"))
    assert states == {old: "cancelled", other: "queued", foreign: "queued", new: "queued"}


def test_a_run_that_somebody_else_waits_for_too_is_not_replaced(living_worker, alice, bob):
    shared = post(alice, "x = 1", editor="e1").json()["id"]
    assert post(bob, "x = 1").json()["id"] == shared
    post(alice, "x = 2", editor="e1")
    assert Run.objects.get(pk=shared).state == State.QUEUED
    assert RunAsk.objects.filter(run=shared, waits=True).count() == 1


def test_a_run_that_began_is_not_replaced(server, alice):
    old = post(alice, "x = 1", editor="e1").json()["id"]
    turns.begin_next("cpu", "w1")
    post(alice, "x = 2", editor="e1")
    assert Run.objects.get(pk=old).state == State.RUNNING


@pytest.mark.parametrize("editor", [5, "a b", "x" * 41, None])
def test_an_editor_that_is_no_name_is_refused(server, alice, editor):
    refused = post(alice, "x = 1", editor=editor)
    assert refused.status_code == 422
    assert refused.json()["error"]["input"] == "editor"
