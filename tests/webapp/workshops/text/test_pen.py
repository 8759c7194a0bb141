"""The pen of a shared text, which the leader gives and takes."""

import pytest

from tests.webapp.workshops.people import BASE, change, join, opened, room
from tests.webapp.workshops.text.writers import typed
from webapp.workshops.models import Seat
from webapp.workshops.text.keeping import copies

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]


@pytest.fixture
def code(alice, bob):
    made = opened(alice)
    join(bob, made)
    return made


def pens(person, code):
    return {seat["name"]: seat["pen"] for seat in room(person, code)["seats"]}


def seat_of(person, code):
    return f"/seats/{room(person, code)['you']}"


def test_the_leader_has_it_and_gives_it_and_takes_it(code, alice, bob):
    assert pens(bob, code) == {"Lena": True, "Sam": False}
    for pen in (True, False):
        assert change(alice, code, seat_of(bob, code), pen=pen).status_code == 200
        assert pens(bob, code) == {"Lena": True, "Sam": pen}


def test_nobody_gives_it_to_themselves(code, bob):
    assert change(bob, code, seat_of(bob, code), pen=True).status_code == 403
    assert pens(bob, code)["Sam"] is False


def test_leaders_keep_it(code, alice):
    answer = change(alice, code, seat_of(alice, code), pen=False)
    assert answer.status_code == 404
    assert answer.json()["error"]["remedy"] == "Leaders always have it."


@pytest.mark.parametrize("wanted", [{"pen": 1}, {"pencil": True}])
def test_a_wish_that_cannot_be_met(code, alice, bob, wanted):
    assert change(alice, code, seat_of(bob, code), **wanted).status_code == 422


def test_who_leaves_gives_it_up(code, alice, bob):
    change(alice, code, seat_of(bob, code), pen=True)
    bob.post(f"/api/v1/workshops/{code}/leave")
    join(bob, code)
    assert pens(alice, code)["Sam"] is False


def test_who_is_inside_reads_the_text_also_by_the_api(code, bob, client):
    lena = Seat.objects.get(workshop=code, leads=True)
    copies.append(code, lena.owner, typed("x = 1\n"))
    assert bob.get(f"{BASE}/{code}/text").json() == {"source": "x = 1\n"}
    assert client.get(f"{BASE}/{code}/text").status_code == 403
