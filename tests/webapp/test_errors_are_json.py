"""Under /api nothing answers with a page of HTML."""

import pytest

from webapp.examples import api as examples


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("get", "/api/", 404),
        ("get", "/api/v1/", 404),
        ("get", "/api/v2/runs", 404),
        ("get", "/api/v1/runs/x/y/z", 404),
        ("delete", "/api/v1/runs", 405),
        ("put", "/api/v1/runs", 405),
        ("post", "/api/v1/examples", 405),
    ],
)
def test_an_error_is_json(bob, method, path, status):
    answer = getattr(bob, method)(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/json")
    assert answer.json()["error"]["message"]


def test_a_wrong_method_is_told_the_right_ones(bob):
    assert set(bob.put("/api/v1/runs").headers["Allow"].split(", ")) == {"GET", "POST"}


def test_a_host_that_is_not_served_is_named(bob):
    answer = bob.get("/api/v1/health", headers={"Host": "evil.test"})
    assert answer.status_code == 400
    message = 'This server does not answer to the host name "evil.test".'
    assert answer.json()["error"]["message"] == message


def test_a_mistake_of_ours_is_one_sentence_too(bob, monkeypatch):
    def broken():
        raise RuntimeError("a secret path")

    monkeypatch.setattr(examples, "gallery", broken)
    bob.raise_request_exception = False
    answer = bob.get("/api/v1/examples")
    assert answer.status_code == 500
    assert answer.json()["error"]["message"] == "The server made a mistake."
    assert b"secret" not in answer.content
