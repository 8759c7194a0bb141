"""What browsers are told to forbid, with whatever answer."""

import pytest
from django.test import Client

from webapp import policy
from webapp.limits import limited


@pytest.mark.parametrize(
    "path", ["/", "/api/v1/examples", "/nothing", "/static/plain.css", "/static/nothing"]
)
def test_every_answer_has_the_headers(bob, path):
    headers = bob.get(path).headers
    told = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert told["default-src"] == told["script-src"] == told["style-src"] == "'self'"
    assert told["frame-ancestors"] == told["object-src"] == told["base-uri"] == "'none'"
    assert told["connect-src"] == "'self' ws://testserver wss://testserver"
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"


def test_the_formatters_worker_alone_may_compile_webassembly():
    worker = "/static/app/assets/ruff.worker-abcdefgh.js"
    for path, may in ((worker, True), ("/static/app/assets/main-abcdefgh.js", False), ("/", False)):
        told = policy.headers("testserver", path)["Content-Security-Policy"]
        assert ("script-src 'self' 'wasm-unsafe-eval';" in told) is may
        assert ("unsafe-eval" in told) is may


def test_a_host_that_is_not_served_is_told_too(bob):
    answer = bob.get("/", headers={"Host": "evil.test"})
    assert answer.status_code == 400
    assert policy.headers("").items() <= answer.headers.items()


def test_a_mistake_of_ours_is_told_too(monkeypatch):
    def broken(*parts):
        raise RuntimeError

    monkeypatch.setattr("webapp.pages.views.bundle", broken)
    answer = Client(raise_request_exception=False).get("/")
    assert answer.status_code == 500
    assert policy.headers("testserver").items() <= answer.headers.items()


async def test_a_body_that_is_refused_unread_is_told_too():
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "headers": [(b"content-length", b"101")]}
    await limited(None, 100)(scope, None, send)
    headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    assert {k.lower(): v for k, v in policy.headers("").items()}.items() <= headers.items()
