"""WebSockets with bad input: opened, told one sentence, closed with a code that says why."""

import pytest

from tests.webapp.live.sockets import Socket, watching

pytestmark = pytest.mark.service


async def refusal(path):
    """The error that came and the code that the socket was closed with."""
    socket = await Socket(path).open()
    assert socket.accepted
    error, code = (await socket.next())["error"], await socket.next()
    await socket.leave()
    return error, code


@pytest.mark.parametrize("unknown", ["nope", "a" * 24, "a" * 3000, "é", "\0"])
async def test_an_unknown_run(server, unknown):
    error, code = await refusal(f"/ws/runs/{unknown}/?after=0")
    assert error["message"].startswith('There is no run "')
    assert (error["input"], code) == ("id", 4404)


@pytest.mark.parametrize("after", ["x", "-1", "", "1.5", "9" * 40, "%D9%A3"])
async def test_an_after_that_is_no_number(server, run, after):
    error, code = await refusal(f"/ws/runs/{run.pk}/?after={after}")
    assert error["message"].endswith("is not the number of an event.")
    assert (error["input"], code) == ("after", 4400)


async def test_an_after_beyond_the_last_event(server, run):
    error, code = await refusal(f"/ws/runs/{run.pk}/?after=7")
    assert error["message"] == "after=7 is beyond the run's last event, 0."
    assert code == 4400


@pytest.mark.parametrize("path", ["/", "/ws/", "/ws/runs/", "/ws/runs/x/y/"])
async def test_an_address_that_there_is_not(server, path):
    error, code = await refusal(path)
    assert (error["message"], code) == ("There is no WebSocket at this address.", 4404)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        (b"testserver", b"http://evil.test"),
        (b"testserver", b"null"),
        (b"evil.test", b"http://evil.test"),
        (b"", None),
    ],
)
async def test_a_foreign_page_is_turned_away(server, run, host, origin):
    socket = await Socket(f"/ws/runs/{run.pk}/", host, origin).open()
    assert not socket.accepted


async def test_a_script_is_welcome(server, run):
    socket = await Socket(f"/ws/runs/{run.pk}/", origin=None).open()
    assert socket.accepted
    await socket.leave()


@pytest.mark.parametrize("frame", [{"text": "x" * 100_000}, {"bytes": b"\xff\0"}])
async def test_what_a_watcher_says_is_not_listened_to(server, run, frame):
    async with watching(run.pk) as bob:
        assert (await bob.next())["state"] == "queued"
        await bob.send(**frame)
        assert await bob.receive_nothing(timeout=0.1)
