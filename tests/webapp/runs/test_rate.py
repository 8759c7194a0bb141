"""How many runs an address may ask for."""

import json

import pytest

from webapp.runs.api import router

pytestmark = pytest.mark.service


def post(client, **headers):
    body = json.dumps({"source": "x"})
    return client.post("/api/v1/runs", body, content_type="application/json", headers=headers)


@pytest.fixture
def three_a_minute(monkeypatch):
    [throttle] = router.path_operations[""].operations[0].throttle_objects
    monkeypatch.setattr(throttle, "num_requests", 3)


def test_too_many_are_told_when_to_come_again(server, three_a_minute, alice):
    assert [post(alice).status_code for _ in range(4)] == [201, 201, 201, 429]
    refused = post(alice)
    assert 0 < int(refused.headers["Retry-After"]) <= 60
    assert refused.json()["error"]["message"] == "Too many requests from this address."


def test_a_header_does_not_make_another_address(server, three_a_minute, alice):
    codes = [post(alice, **{"X-Forwarded-For": f"10.0.0.{i}"}).status_code for i in range(4)]
    assert codes[-1] == 429


def test_another_address_of_the_same_network_is_none(server, three_a_minute, alice):
    body = json.dumps({"source": "x"})
    codes = [
        alice.post(
            "/api/v1/runs", body, content_type="application/json", REMOTE_ADDR=f"2001:db8::{i}"
        ).status_code
        for i in range(4)
    ]
    assert codes[-1] == 429


def test_other_addresses_are_not_held_back(server, three_a_minute, alice):
    for _ in range(4):
        post(alice)
    body = json.dumps({"source": "x"})
    other = alice.post(
        "/api/v1/runs", body, content_type="application/json", REMOTE_ADDR="10.1.2.3"
    )
    assert other.status_code == 201
