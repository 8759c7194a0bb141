"""A browser's side of a WebSocket, against the ASGI application itself."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from asgiref.testing import ApplicationCommunicator

PATIENCE_SECONDS = 5


class Socket(ApplicationCommunicator):
    """`accepted` after `open`; then `next` gives each message, and at last the close code. What the
    messages say of the run's clock is in `seconds`, of those before it in `ahead`."""

    accepted = False
    seconds: float | None = None
    ahead: tuple[int, int | None] | None = None

    def __init__(
        self,
        address: str,
        host: bytes = b"testserver",
        origin: bytes | None = b"http://testserver",
        cookie: bytes = b"",
    ) -> None:
        from webapp.asgi import application

        path, _, query = address.partition("?")
        headers = [(b"host", host), *([(b"origin", origin)] if origin else [])]
        headers += [(b"cookie", cookie)] if cookie else []
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": query.encode(),
            "headers": headers,
            "subprotocols": [],
        }
        super().__init__(application, scope)

    async def open(self) -> "Socket":
        await self.send_input({"type": "websocket.connect"})
        first = await self.receive_output(PATIENCE_SECONDS)
        self.accepted = first["type"] == "websocket.accept"
        return self

    async def next(self) -> Any:
        message = await self.receive_output(PATIENCE_SECONDS)
        if message["type"] == "websocket.close":
            return message["code"]
        text = message["text"]
        while message.get("more"):
            message = await self.receive_output(PATIENCE_SECONDS)
            text += message["text"]
        said = json.loads(text)
        self.seconds = said.pop("seconds", self.seconds)
        if "ahead" in said:
            self.ahead = said.pop("ahead"), said.pop("wait_s")
            self.waits_for = said.pop("waits_for")
        return said

    async def numbers(self, count: int) -> list[int]:
        """The numbers of the next `count` messages, states left out."""
        messages = [await self.next() for _ in range(count)]
        return [message["seq"] for message in messages if "event" in message]

    async def send(self, **frame: object) -> None:
        await self.send_input({"type": "websocket.receive", **frame})

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1005})
        await self.wait(PATIENCE_SECONDS)


@asynccontextmanager
async def watching(run_id: str, query: str = "") -> AsyncIterator[Socket]:
    socket = await Socket(f"/ws/runs/{run_id}/{query}").open()
    assert socket.accepted
    yield socket
    await socket.leave()
