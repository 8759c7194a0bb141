"""How often one address may knock, and who does not knock."""

import pytest

from tests.webapp.workshops.people import BASE, join, opened
from webapp.workshops import api

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]


@pytest.fixture
def code(alice, bob, monkeypatch):
    """A room that was opened and joined by two of the four knocks that an address has."""
    operations = [each for at in api.router.path_operations.values() for each in at.operations]
    for knocks in (each for operation in operations for each in operation.throttle_objects):
        monkeypatch.setattr(knocks, "num_requests", 4)
    made = opened(alice)
    join(bob, made)
    return made


def looked(person, code, times):
    return [person.get(f"{BASE}/{code}/door").status_code for _ in range(times)]


def test_who_is_seated_does_not_knock(code, alice, bob, client):
    assert looked(bob, code, 5) == [200] * 5
    assert join(bob, code, "Samuel").status_code == 200
    assert alice.get(f"{BASE}/{code}/qr.svg").status_code == 200
    assert looked(client, code, 3) == [200, 200, 429]
    assert looked(bob, code.replace("-", " ").upper(), 1) == [200]


def test_who_has_left_or_sits_in_another_room_knocks(code, alice, bob):
    bob.post(f"{BASE}/{code}/leave")
    assert looked(bob, code, 3)[-1] == 429
    assert looked(alice, "k7mq-2p9x", 3)[-1] == 429
