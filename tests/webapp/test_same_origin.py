"""What changes something comes from our own pages, or from scripts."""

import json

import pytest

from webapp.origin import same_origin


@pytest.mark.parametrize(
    ("origin", "host", "same"),
    [
        (None, "fuselab.test", True),
        ("https://fuselab.test", "fuselab.test", True),
        ("http://FUSELAB.test:8000", "fuselab.test:8000", True),
        ("http://fuselab.test:8001", "fuselab.test:8000", False),
        ("http://evil.test", "fuselab.test", False),
        ("http://fuselab.test.evil.test", "fuselab.test", False),
        ("null", "fuselab.test", False),
        ("", "", False),
        ("http://[", "fuselab.test", False),
    ],
)
def test_an_origin_is_held_against_the_host(origin, host, same):
    assert same_origin(origin, host) is same


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["", "/cancel", "/share"])
def test_a_foreign_page_cannot_post(bob, run, end):
    address = f"/api/v1/runs/{run.pk}{end}" if end else "/api/v1/runs"
    answer = bob.post(
        address,
        json.dumps({"source": "x"}),
        content_type="text/plain",
        headers={"Origin": "http://evil.test"},
    )
    assert answer.status_code == 403
    assert answer.json()["error"]["input"] == "Origin"


@pytest.mark.django_db
def test_our_own_page_can_post(bob, asked_by):
    run = asked_by(bob)
    address = f"/api/v1/runs/{run.pk}/share"
    assert bob.post(address, headers={"Origin": "http://testserver"}).status_code == 200


@pytest.mark.django_db
def test_a_foreign_page_may_follow_a_link(bob, run):
    answer = bob.get(f"/api/v1/runs/{run.pk}", headers={"Origin": "http://evil.test"})
    assert answer.status_code == 200
