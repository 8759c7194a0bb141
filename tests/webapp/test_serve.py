"""The web server hangs up on who opens a connection and does not ask."""

import asyncio
import zlib
from contextlib import asynccontextmanager, suppress

import pytest
import uvicorn
from websockets.asyncio.client import connect

from tests.ports import free_port
from webapp import serve, unread
from webapp.budget import Places
from webapp.short_messages import MOST_FRAMES

pytestmark = pytest.mark.service

GET = b"GET / HTTP/1.1\r\nHost: x\r\n"


async def application(scope, receive, send):
    assert scope["type"] == "http"
    await asyncio.sleep(0.1)
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]}
    )
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def connected(monkeypatch, timeout_keep_alive=5):
    monkeypatch.setattr(serve.Impatient, "headers_s", 0.05)
    options = {"lifespan": "off", "log_level": "error", "timeout_keep_alive": timeout_keep_alive}
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(application, port=port, http=serve.Impatient, **options))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    yield reader, writer
    writer.close()
    server.should_exit = True
    await serving


@pytest.mark.parametrize("begun", [b"", b"GET / HT", GET, GET + b"X: y\r\n"])
async def test_a_request_that_is_not_finished_is_hung_up_on(monkeypatch, begun):
    async with connected(monkeypatch) as (reader, writer):
        writer.write(begun)
        assert await asyncio.wait_for(reader.read(), 5) == b""


async def test_an_answer_may_take_longer_and_the_next_request_has_its_own_time(monkeypatch):
    async with connected(monkeypatch) as (reader, writer):
        for _ in range(2):
            writer.write(GET + b"\r\n")
            assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        writer.write(GET)
        assert await asyncio.wait_for(reader.read(), 5) == b""


NEXT = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [GET + b"X: " + b"y" * 1_000_000, GET + b"X: y\r\n" * 3000, b"GET /" + b"x" * 1_000_000],
    ids=["one header without an end", "many headers", "an address without an end"],
)
async def test_a_head_without_an_end_is_hung_up_on(monkeypatch, sent):
    async with connected(monkeypatch) as (reader, writer):
        monkeypatch.setattr(serve.Impatient, "headers_s", 60)
        writer.write(sent)
        with suppress(ConnectionError):
            assert not (await asyncio.wait_for(reader.read(), 5)).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("asked", "answered"), [(10, 10), (2000, 0)])
async def test_so_many_requests_wait_on_a_connection(monkeypatch, asked, answered):
    async with connected(monkeypatch) as (reader, writer):
        monkeypatch.setattr(serve.Impatient, "headers_s", 60)
        writer.write(NEXT * (asked - 1) + GET + b"Connection: close\r\n\r\n")
        found = b""
        with suppress(ConnectionError):
            found = await asyncio.wait_for(reader.read(), 20)
        assert found.count(b"HTTP/1.1 200") == answered


async def test_an_address_has_so_many_connections_and_gets_back_those_that_close(monkeypatch):
    monkeypatch.setattr(serve, "_places", Places(1))
    async with connected(monkeypatch) as (reader, writer):
        port = writer.get_extra_info("peername")[1]
        beside, _ = await asyncio.open_connection("127.0.0.1", port)
        with suppress(ConnectionError):
            assert await asyncio.wait_for(beside.read(), 5) == b""
        writer.write(GET + b"\r\n")
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")
        writer.close()
        await asyncio.sleep(0.05)
        then, asking = await asyncio.open_connection("127.0.0.1", port)
        asking.write(GET + b"\r\n")
        assert (await then.readuntil(b"ok")).startswith(b"HTTP/1.1 200")


async def test_behind_a_proxy_its_connections_are_everybodys(monkeypatch):
    monkeypatch.setattr(serve, "_places", Places(0))
    monkeypatch.setattr(unread, "_PROXIES", 1)
    async with connected(monkeypatch) as (reader, writer):
        writer.write(GET + b"\r\n")
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200")


SOCKET = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
)
LONG = b"x" * 10_000


PARTS = ("begun, ", "é" * 5_000, "", "ended")


async def in_parts(scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})
    for at, each in enumerate(PARTS, 1):
        await send({"type": "websocket.send", "text": each, "more": at < len(PARTS)})
    await send({"type": "websocket.send", "text": "next"})
    while (await receive())["type"] != "websocket.disconnect":
        pass


async def talking(scope, receive, send):
    await receive()
    await send({"type": "websocket.accept"})
    for each in (b"short", LONG):
        await send({"type": "websocket.send", "bytes": each})
    while (await receive())["type"] != "websocket.disconnect":
        pass


@asynccontextmanager
async def served(application):
    port = free_port()
    options = {"lifespan": "off", "log_level": "error", "ws": serve.Sparing}
    server = uvicorn.Server(uvicorn.Config(application, port=port, **options))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield port
    server.should_exit = True
    await serving


@asynccontextmanager
async def socket():
    async with served(talking) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(SOCKET)
        assert b"permessage-deflate" in await reader.readuntil(b"\r\n\r\n")
        yield reader, writer
        writer.close()


# Frames of a page are masked, here by nothing.
PING, EMPTY = (bytes((0x80 | op, 0x80, 0, 0, 0, 0)) for op in (9, 2))


@pytest.mark.parametrize("frame", [PING, EMPTY], ids=["asks whether we are there", "says nothing"])
async def test_who_sends_more_frames_than_any_page_is_hung_up_on(frame):
    async with socket() as (reader, writer):
        writer.write(frame * 100)
        first = await reader.readexactly(7)
        assert first == b"\x82\x05short"
        writer.write(frame * 20_000)
        with suppress(ConnectionError):
            answered = await asyncio.wait_for(reader.read(), 5)
            assert answered.count(b"\x8a\x00") <= MOST_FRAMES + 1000


async def test_only_long_messages_of_a_socket_are_compressed():
    async with socket() as (reader, _):
        # The last of a message, binary, not compressed; then the same and compressed.
        assert await reader.readexactly(7) == b"\x82\x05short"
        first, length = await reader.readexactly(2)
        assert first == 0xC2 and length < 126
        assert zlib.decompressobj(-12).decompress(await reader.readexactly(length)) == LONG


@pytest.mark.parametrize("compression", [None, "deflate"])
async def test_a_message_that_is_sent_in_parts_is_one(compression):
    async with (
        served(in_parts) as port,
        connect(f"ws://127.0.0.1:{port}/", compression=compression) as page,
    ):
        assert await page.recv() == "".join(PARTS)
        assert await page.recv() == "next"
