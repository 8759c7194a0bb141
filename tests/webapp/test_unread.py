"""An answer that nobody reads ends; one that is read slowly arrives; what the server says by itself
has the headers of every answer."""

import asyncio
import random
import socket
import time
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
import uvicorn

from tests.ports import free_port
from webapp import policy, serve, unread

pytestmark = pytest.mark.service

PIECE, PIECES = b"x" * 2**16, 300
# After each of so many parts whoever reads slowly waits.
PARTS = 50
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: %s\r\nSec-WebSocket-Key: %s\r\n\r\n"
)
KEY = b"dGhlIHNhbXBsZSBub25jZQ=="


class Large:
    """An application with a large answer, which counts the pieces that it could send."""

    def __init__(self, pieces):
        self.pieces, self.sent = pieces, 0

    async def __call__(self, scope, receive, send):
        if scope["type"] == "websocket":
            await receive()
            return await send({"type": "websocket.close"})
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(self.pieces):
            body = PIECE * (PIECES // self.pieces)
            await send(
                {"type": "http.response.body", "body": body, "more_body": number < self.pieces - 1}
            )
            self.sent += 1


async def endless(scope, receive, send):
    """Sends more than anybody reads."""
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        begun, part = None, {"type": "websocket.send", "bytes": random.Random(0).randbytes(2**16)}
    else:
        begun = {"type": "http.response.start", "status": 200, "headers": []}
        part = {"type": "http.response.body", "body": PIECE, "more_body": True}
    if begun:
        await send(begun)
    with suppress(Exception):
        for _ in range(1000):
            await send(part)
            await asyncio.sleep(0)


@asynccontextmanager
async def asked(monkeypatch, application, *, seconds=0.3, asks=GET, window=4096):
    """Reads what one who asks gets."""
    async with serving(monkeypatch, application, seconds) as port:
        with socket.socket() as client:
            await ask(client, port, asks, window)
            loop = asyncio.get_running_loop()
            yield lambda: loop.sock_recv(client, 2**17)


async def ask(client, port, asks=GET, window=4096):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
    client.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(client, ("127.0.0.1", port))
    await loop.sock_sendall(client, asks)


@asynccontextmanager
async def serving(monkeypatch, application, seconds=0.3):
    monkeypatch.setattr(serve.Impatient, "unread_s", seconds)
    port, options = free_port(), {"lifespan": "off", "log_level": "error"}
    served = uvicorn.Config(
        application, port=port, http=serve.Impatient, ws=serve.Sparing, **options
    )
    server = uvicorn.Server(served)
    served_by = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield port
    server.should_exit = True
    await served_by


@pytest.mark.parametrize("pieces", [1, PIECES])
async def test_an_answer_that_is_not_read_ends(monkeypatch, pieces):
    got = 0
    async with asked(monkeypatch, Large(pieces)) as read:
        await asyncio.sleep(1)
        with suppress(ConnectionResetError):
            while part := await asyncio.wait_for(read(), 5):
                got += len(part)
    assert got < len(PIECE) * PIECES


async def test_an_answer_is_made_no_faster_than_it_is_read(monkeypatch):
    application = Large(PIECES)
    async with asked(monkeypatch, application, seconds=20):
        await asyncio.sleep(0.3)
        assert application.sent < 10


async def test_what_is_read_slowly_arrives(monkeypatch):
    """All of it takes longer than any part may."""
    application, got, began = Large(1), 0, time.monotonic()
    # Through the smallest window TCP itself stands still now and then, and longer each time.
    async with asked(monkeypatch, application, seconds=5, window=2**16) as read:
        for share in range(1, PARTS + 1):
            while got < len(PIECE) * PIECES * share // PARTS:
                got += len(part := await read())
                assert part
            await asyncio.sleep(6 / PARTS)
    assert time.monotonic() - began > 5
    assert got >= len(PIECE) * PIECES


@pytest.mark.parametrize("asks", [GET, UPGRADE % (b"13", KEY)])
async def test_of_too_many_who_do_not_read_those_of_the_address_with_most_go(monkeypatch, asks):
    monkeypatch.setattr(unread.crowd, "_most", 3)
    async with serving(monkeypatch, endless, 20) as port, AsyncExitStack() as open_ones:
        readers = {}
        for name, host in (("alone", "2"), ("a", "3"), ("b", "3"), ("c", "3"), ("d", "3")):
            client = open_ones.enter_context(socket.socket())
            client.bind((f"127.0.0.{host}", 0))
            await ask(client, port, asks)
            readers[name] = client
            await asyncio.sleep(0.2)
        over = {name for name, client in readers.items() if await is_hung_up(client)}
    assert over == {"a", "b"}


async def is_hung_up(client):
    """Of what there is still to read there is an end then."""
    with suppress(ConnectionResetError):
        for _ in range(100):
            if not await asyncio.get_running_loop().sock_recv(client, 2**16):
                return True
        return False
    return True


@pytest.mark.parametrize(
    "asks",
    [
        b"FOO / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"BROKEN\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n",
        UPGRADE % (b"99", KEY),
        UPGRADE % (b"13", b"short"),
        UPGRADE % (b"13", KEY),
        (UPGRADE % (b"13", KEY)).replace(b"Host", b"X: y\r\n" * 200 + b"Host"),
        (UPGRADE % (b"13", KEY)).replace(b"Host", b"X: " + b"y" * 10_000 + b"\r\nHost"),
        (UPGRADE % (b"13", KEY)).replace(b"Host", b"Content-Length: 2\r\nHost"),
    ],
)
async def test_what_the_server_refuses_by_itself_is_told_what_browsers_are(monkeypatch, asks):
    async with asked(monkeypatch, Large(1), asks=asks) as read:
        head = (await read()).partition(b"\r\n\r\n")[0].decode().lower()
    assert head.startswith("http/1.1 4")
    for name, value in policy.headers("").items():
        assert f"{name}: {value}\r\n".lower() in f"{head}\r\n"
