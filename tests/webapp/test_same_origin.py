"""What changes something comes from our own pages, or from scripts."""

import json

import pytest

from webapp.origin import same_origin

NOT_US, BY_HTTPS = "http://evil.test", "https://testserver"


@pytest.mark.parametrize(
    ("origin", "host", "secure", "same"),
    [
        (None, "fuselab.test", False, True),
        ("https://fuselab.test", "fuselab.test", True, True),
        ("https://fuselab.test", "fuselab.test", False, False),
        ("http://fuselab.test", "fuselab.test", True, False),
        ("http://FUSELAB.test:8000", "fuselab.test:8000", False, True),
        ("http://fuselab.test:8001", "fuselab.test:8000", False, False),
        ("http://evil.test", "fuselab.test", False, False),
        ("http://fuselab.test.evil.test", "fuselab.test", False, False),
        ("null", "fuselab.test", False, False),
        ("", "", False, False),
        ("http://", "", False, False),
        ("http://[", "fuselab.test", False, False),
    ],
)
def test_an_origin_is_held_against_scheme_and_host(origin, host, secure, same):
    assert same_origin(origin, host, secure) is same


@pytest.mark.django_db
@pytest.mark.parametrize(("origin", "named"), [(NOT_US, "another site"), (BY_HTTPS, "scheme")])
def test_the_refusal_says_what_is_wrong_with_the_origin(bob, run, origin, named):
    answer = bob.post(f"/api/v1/runs/{run.pk}/cancel", headers={"Origin": origin})
    assert answer.status_code == 403
    assert named in answer.json()["error"]["message"]


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
