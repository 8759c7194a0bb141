"""How often one address may guess, and who does not guess."""

import pytest

from tests.webapp.workshops.people import BASE, join, opened, room
from webapp.workshops import api
from webapp.workshops.models import Workshop
from webapp.workshops.rate import LEAD_HEADER, Phrases

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]
ELSEWHERE = {"REMOTE_ADDR": "192.0.2.7"}
WRONG = "k7mq-2p9x"


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """An address has four guesses."""
    operations = [each for at in api.router.path_operations.values() for each in at.operations]
    for knocks in (each for operation in operations for each in operation.throttle_objects):
        monkeypatch.setattr(knocks, "num_requests", 4)
    monkeypatch.setattr(Phrases, "_MOST", 4)


@pytest.fixture
def code(alice):
    return opened(alice)


def looked(person, code, times=1, **where):
    return [person.get(f"{BASE}/{code}/door", **where).status_code for _ in range(times)]


def test_sixty_join_from_one_address(code, client):
    for number in range(60):
        client.cookies.clear()
        assert looked(client, code) == [200]
        assert join(client, code, f"Seat {number}").status_code == 200


def test_who_guesses_keeps_nobody_from_a_room_that_is_known_there(code, bob, client):
    assert looked(client, WRONG, 6) == [404] * 4 + [429] * 2
    assert looked(client, code.replace("-", " ").upper(), 2) == [200] * 2
    assert join(bob, code).status_code == 200
    assert opened(client)


def test_who_guesses_learns_of_no_other_room(code, alice, bob, client):
    assert looked(client, code, 2, **ELSEWHERE) == [200] * 2
    assert looked(client, WRONG, 5, **ELSEWHERE) == [404] * 4 + [429]
    # Right or wrong, the answer is the same.
    assert looked(client, code, 1, **ELSEWHERE) == looked(client, WRONG, 1, **ELSEWHERE) == [429]
    # But for who has the leader link, or sits there; whereupon it is known there.
    lead = room(alice, code)["lead_link"].partition("=")[2]
    path = f"{BASE}/{code}/door"
    for secret, status in (("x" * len(lead), 429), (lead, 200)):
        headers = {LEAD_HEADER: secret}
        assert client.get(path, headers=headers, **ELSEWHERE).status_code == status
    who = {"name": "Lena", "lead": lead}
    joined = bob.post(f"{BASE}/{code}/join", who, "application/json", **ELSEWHERE)
    assert joined.status_code == 200
    assert looked(bob, code, 1, **ELSEWHERE) == looked(client, code, 1, **ELSEWHERE) == [200]


def test_pass_phrases_are_guessed_at_one_door_as_often(alice, bob, client):
    code, other = (opened(alice, pass_phrase="open sesame") for _ in range(2))
    said = [join(client, code, pass_phrase=f"no {n}").status_code for n in range(6)]
    assert said == [403] * 4 + [429] * 2
    refused = join(bob, code, pass_phrase="open sesame")
    assert refused.status_code == 429 and refused["Retry-After"]
    assert join(bob, other, pass_phrase="open sesame").status_code == 200
    assert Workshop.objects.count() == 2
