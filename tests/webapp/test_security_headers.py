"""What browsers are told to forbid."""

import pytest


@pytest.mark.parametrize("path", ["/", "/api/v1/examples", "/nothing"])
def test_every_answer_has_the_headers(bob, path):
    headers = bob.get(path).headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert "unsafe" not in policy["style-src"]
    assert policy["connect-src"] == "'self' ws://testserver wss://testserver"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
