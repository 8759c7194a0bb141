"""A body that is too long is refused before it is read."""

import json

import pytest

from webapp.limits import limited


async def ask(**headers):
    """The status and sentence for a request with `headers`; None where it was let through."""
    reached, sent = [], []

    async def inner(scope, receive, send):
        reached.append(scope)

    async def receive():
        raise AssertionError("the body was read")

    async def send(message):
        sent.append(message)

    raw = [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()]
    await limited(inner, 100)({"type": "http", "headers": raw}, receive, send)
    if reached:
        return None
    return sent[0]["status"], json.loads(sent[1]["body"])["error"]["message"]


@pytest.mark.parametrize("length", ["0", "100"])
async def test_a_short_body_is_let_through(length):
    assert await ask(content_length=length) is None


async def test_a_request_without_a_body_is_let_through():
    assert await ask(accept="text/html") is None


@pytest.mark.parametrize("length", ["101", "9" * 30])
async def test_a_long_body_is_refused(length):
    assert await ask(content_length=length) == (413, "The request body is longer than 100 bytes.")


async def test_a_body_of_unknown_length_is_refused():
    status, message = await ask(transfer_encoding="chunked")
    assert (status, message) == (411, "The request does not say how long its body is.")
