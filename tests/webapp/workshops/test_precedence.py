"""Whose turn it is among those who are in a workshop."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.webapp.workshops.people import join, opened
from webapp.runs import asks, owner, turns
from webapp.runs.models import Run, State

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]


@pytest.fixture
def people():
    """Who takes part, by one letter each; l leads the workshop in which m and n are, s is a
    stranger."""
    clients = {name: Client() for name in "lmns"}
    code = opened(clients["l"], name="l")
    for name in "mn":
        join(clients[name], code, name)
    join(clients["s"], opened(clients["s"], name="s"), "s")
    return {
        name: owner.digest(each.cookies["fuselab_owner"].value) for name, each in clients.items()
    }


@pytest.fixture
def order(people, make_run):
    """The order in which runs are begun that these people ask for, one after the other: a run by
    the one letter of whoever asked first. `also`: who asks for which of these then, and "-": who
    waits for it no longer. `begun`: the order in which they go on, all of which have begun, and
    which come in the order of people by the way."""

    def ordered(who, also=(), *, begun=False):
        runs = []
        for at, name in enumerate(who):
            created = timezone.now() + timedelta(microseconds=at)
            runs.append(make_run(owner=people[name], title=name, created=created))
            asks.ask(runs[at], people[name])
        for at, name in also:
            (asks.cancel if name.startswith("-") else asks.ask)(runs[at], people[name[-1]])
        titles = dict(Run.objects.values_list("pk", "title"))
        waiting = turns.order("cpu")
        if begun:
            people_first = [run.pk for run in runs]
            Run.objects.update(state=State.RUNNING)
            waiting = turns.preferred(people_first)
        return "".join(titles[run] for run in waiting)

    return ordered


@pytest.mark.parametrize(
    ("asked", "begun"),
    [
        # Seats take turns as people do.
        ("mmmn", "mnmm"),
        # The leader goes before the room.
        ("mnl", "lmn"),
        ("l", "l"),
        # But not before strangers, of whom nobody waits longer for it.
        ("smnl", "slmn"),
        ("msnl", "lsmn"),
        # And only with one run at a time.
        ("mnll", "lmnl"),
    ],
)
def test_the_leader_is_first_and_seats_take_turns(order, asked, begun):
    assert order(asked) == begun


def test_a_leader_is_one_of_many_in_another_room(people, order):
    assert order("slm") == "slm"


@pytest.mark.parametrize(
    ("asked", "also", "begun"),
    [
        # The leader asks for what a seat asked for first.
        ("mn", [(1, "l")], "nm"),
        ("smn", [(2, "l")], "snm"),
        # And for what a stranger did.
        ("ms", [(1, "l")], "sm"),
        # Unless they wait for it no longer.
        ("mn", [(1, "l"), (1, "-l")], "mn"),
        # A stranger who asked for a seat's too does not wait longer for it.
        ("mnl", [(0, "s")], "mln"),
        # What only the leader waits for yet.
        ("mn", [(1, "l"), (1, "-n")], "nm"),
    ],
)
def test_a_run_is_the_leaders_whoever_asked_for_it_first(order, asked, also, begun):
    assert order(asked, also) == begun


@pytest.mark.parametrize(
    ("asked", "also", "go_on"),
    [
        ("mnl", (), "lmn"),
        # Strangers wait no longer for it, whoever opens a room of their own.
        ("smnl", (), "slmn"),
        ("msnl", (), "lsmn"),
        ("mls", (), "lms"),
        ("ms", (), "ms"),
        # What a seat asked for first, and the leader then.
        ("mn", [(1, "l")], "nm"),
    ],
)
def test_the_leaders_run_goes_on_first_as_it_begins(order, asked, also, go_on):
    assert order(asked, also, begun=True) == go_on
