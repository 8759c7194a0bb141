"""One page of a workshop's shared text, without a browser: a copy of the text, into which somebody
types on a line of their own, and a socket that may drop."""

import asyncio
import random
import time
from contextlib import suppress
from dataclasses import dataclass, field
from string import ascii_lowercase

from pycrdt import (
    Decoder,
    Doc,
    Text,
    create_sync_message,
    create_update_message,
    handle_sync_message,
)
from websockets import ConnectionClosed, Origin, WebSocketException
from websockets.asyncio.client import ClientConnection, connect

# What the text is called in the document, as in webapp/workshops/text.
_ROOT = "source"
_LACK, _CHANGED = b"\x00\x01", b"\x00\x02"
# A page tries again so long after its line was lost.
_AGAIN_S = 1.0
_DELETED = 0.1


@dataclass
class Heard:
    """Keystrokes on their way, by the place that the CRDT gives each, and how many milliseconds
    those that arrived took to each of the others' pages."""

    sent: dict[tuple[int, int], float] = field(default_factory=dict)
    took_ms: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def arrived(self, place: tuple[int, int] | None) -> None:
        """A keystroke is on somebody else's page now."""
        if place in self.sent:
            self.took_ms.append(1e3 * (time.perf_counter() - self.sent[place]))


def place_of(update: bytes) -> tuple[int, int] | None:
    """The writer and the clock with which an update begins; None if it only deletes."""
    numbers = Decoder(update)
    if numbers.read_var_uint() == 0:
        return None
    numbers.read_var_uint()
    return numbers.read_var_uint(), numbers.read_var_uint()


class Page:
    """A copy of the text. `wanted` is what its person has typed, all of which the text has to have
    at the end, on one line."""

    def __init__(self, number: int, heard: Heard) -> None:
        self._heard, self._mark = heard, f"# {number:03} "
        self._doc: Doc[Text] = Doc()
        self._text = self._doc.get(_ROOT, type=Text)
        self._doc.observe(lambda event: self._news.append(event.update))
        # What was changed since it was looked at last, by this person or others.
        self._news: list[bytes] = []
        # This person's, not sent yet; and sent, but not heard to be stored.
        self._unsent: list[bytes] = []
        self._open = set[tuple[int, int]]()
        self._socket: ClientConnection | None = None
        self.keystrokes, self.cuts = 0, 0
        self.wanted = ""

    def __str__(self) -> str:
        return str(self._text)

    def line(self) -> str:
        """What stands on this person's line, in this copy."""
        found = [each for each in str(self).splitlines() if each.startswith(self._mark)]
        return "".join(each.removeprefix(self._mark) for each in found)

    async def live(self, address: str, origin: str, token: str) -> None:
        """Keeps the line, until it is cancelled."""
        headers = {"Authorization": f"Bearer {token}"}
        while True:
            with suppress(OSError, TimeoutError, WebSocketException):
                async with connect(
                    address, origin=Origin(origin), additional_headers=headers, max_size=None
                ) as socket:
                    await self._attend(socket)
            self._socket = None
            await asyncio.sleep(_AGAIN_S)

    async def _attend(self, socket: ClientConnection) -> None:
        """Each says what it has, and gets what it lacks; then changes as they come."""
        async for frame in socket:
            if isinstance(frame, str):
                self._heard.refused.append(frame)
            elif frame[:2] == _CHANGED:
                self._hear(frame)
            else:
                reply = handle_sync_message(frame[1:], self._doc)
                if reply is not None:
                    self._unsent.clear()
                    await socket.send(reply)
                    await socket.send(create_sync_message(self._doc))
                    self._socket = socket
                    await self._send()

    def _hear(self, frame: bytes) -> None:
        handle_sync_message(frame[1:], self._doc)
        length = Decoder(frame[2:])
        length.read_var_uint()
        place = place_of(length.stream[length.i0 :])
        if place in self._open:
            self._open.discard(place)
        else:
            self._heard.arrived(place)

    async def type(self, chance: random.Random) -> None:
        """One keystroke: a letter at the end of this person's line, or the last one deleted."""
        self.keystrokes += 1
        self._news.clear()
        start = self._start()
        if self.wanted and chance.random() < _DELETED:
            self.wanted = self.wanted[:-1]
            end = start + len(self.wanted)
            del self._text[end : end + 1]
        else:
            letter = chance.choice(ascii_lowercase)
            self._text.insert(start + len(self.wanted), letter)
            self.wanted += letter
        self._unsent += self._news
        await self._send()

    def _start(self) -> int:
        """Where what was typed begins; the line is made if there is none."""
        at = str(self).find(self._mark)
        if at < 0:
            at = len(str(self))
            self._text.insert(at, f"{self._mark}\n")
        return at + len(self._mark)

    async def _send(self) -> None:
        """What was changed; without a line it waits, and is merged when that is back."""
        if self._socket is None:
            return
        unsent, self._unsent = self._unsent, []
        for update in unsent:
            place = place_of(update)
            if place is not None:
                self._heard.sent[place] = time.perf_counter()
                self._open.add(place)
            with suppress(ConnectionClosed):
                await self._socket.send(create_update_message(update))

    def cut(self) -> None:
        """The line is gone, without a word. What was on its way comes late, and is not timed."""
        if self._socket is None:
            return
        self.cuts += 1
        for place in self._open:
            self._heard.sent.pop(place, None)
        self._open.clear()
        self._socket.transport.abort()
        self._socket = None
