"""/ws/workshops/{code}/text/: the text that a workshop writes together, in binary frames as
y-protocols' sync and awareness have them (webapp/workshops/text/line.py).

    {"error": {"message", "remedy", "input"}}  a change was not taken; or then closed: 4403 not in
                                               the workshop, 4404 no such workshop, 4429 too much

The server says first what it has, and the page answers with what it has besides. A change is
stored before any other page hears of it. Whose change was refused begins again from what all see:
it says once more what it has, with a new copy.

The group's messages carry each change with the number of its row and of the one before it; a page
that missed one is told from the database.
"""

import asyncio
import contextlib
import logging
from typing import Any

from django.db import Error as DatabaseError
from redis.exceptions import RedisError

from webapp import errors
from webapp.budget import PACKED_MIB, SENT_MIB, Budgets
from webapp.errors import Refusal
from webapp.live.database import in_database, timed
from webapp.live.looks import looks, seat_in
from webapp.live.socket import Socket
from webapp.live.workshop import BROKEN, CLOSES
from webapp.runs import owner
from webapp.workshops.announce import group
from webapp.workshops.models import Seat
from webapp.workshops.snapshot import Look
from webapp.workshops.text import keeping, line, pen, presence
from webapp.workshops.text.keeping import Stored

LOOK_SECONDS = 5
# Messages of one person, a long one counts for several: a page sends what is typed together, 25
# times a second at most.
_PER_S, _MOST, _ONE_BYTES = 60, 600, 8192
TOO_MUCH = 4429
_HASTE = Refusal(
    429, "Your page sends more than is taken of one person.", "It connects again by itself."
)
_paid = Budgets(_PER_S, _MOST)
log = logging.getLogger(__name__)


def text_group(code: str) -> str:
    """The name, in the channel layer, of the group of pages that have the text open."""
    return f"{group(code)}.text"


class TextConsumer(Socket):
    """One WebSocket of one page that has the shared text open."""

    code: str
    who: str
    seat: Seat
    groups_joined: tuple[str, ...] = ()
    # Where this page's cursor is, and what the others were told of it.
    shown: presence.Presence | None = None
    looking: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Accepts the socket and says what the server has; refuses whoever is not in the
        workshop."""
        await self.accept()
        self.sent = line.Sent()
        self.code = self.scope["url_route"]["kwargs"]["code"]
        self.who = owner.digest_of_socket(dict(self.scope["headers"]))
        if not await self.is_seated(await looks.now(self.code)):
            return
        self.code = self.seat.workshop_id
        self.groups_joined = (text_group(self.code), group(self.code))
        for each in self.groups_joined:
            await self.channel_layer.group_add(each, self.channel_name)
        state = await in_database(keeping.copies.state)(self.code)
        await self.send(bytes_data=line.have(state))
        await self.notify("text.asked", who=self.channel_name)
        self.looking = asyncio.create_task(self.look())

    async def disconnect(self, code: int) -> None:
        """Leaves the groups; its cursor is gone from the others' pages."""
        if self.looking:
            self.looking.cancel()
        await self.hide()
        for each in self.groups_joined:
            with contextlib.suppress(RedisError, OSError):
                await self.channel_layer.group_discard(each, self.channel_name)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Does what a frame says, each kind by one of the methods below."""
        frame = bytes_data or b""
        if _paid.pay(self.who, 1 + len(frame) / _ONE_BYTES):
            await self.refuse(_HASTE)
            return await self.close(TOO_MUCH)
        message = line.read(frame)
        if isinstance(message, Refusal):
            return await self.refuse(message)
        await _DOES[message.kind](self, message.content)

    async def send_missing(self, state: bytes) -> None:
        """The page has said what it has: it is told the rest, and all changes from then on."""
        found, took = await in_database(timed(keeping.copies.since))(self.code, state)
        if isinstance(found, Refusal):
            self.spent(took)
            return await self.refuse(found)
        missing, self.sent.last = found
        self.spent(took + (SENT_MIB + PACKED_MIB) * len(missing) / 2**20)
        await self.send(bytes_data=line.lack(missing))

    async def store(self, update: bytes) -> None:
        """Stores what the page has changed, and tells all pages, this one too."""
        append = in_database(timed(keeping.copies.append))
        stored, took = await append(self.code, self.who, update)
        self.spent(took)
        if isinstance(stored, Refusal):
            return await self.refuse(stored)
        if stored is not None:
            await self.notify("text.stored", change=(stored.before, stored.number, stored.news))

    def spent(self, cost: float) -> None:
        """Has whoever asked owe what a message took: a few bytes may ask for all of a long text."""
        if purse := self.scope.get("purse"):
            purse.spent(cost)

    async def show(self, content: bytes) -> None:
        """Tells the others where this page's cursor is, if its person may write."""
        said = presence.read(content)
        if said is None or not pen.holds(self.seat):
            return
        self.shown = said
        await self.notify(
            "text.shown", by=self.channel_name, content=presence.written(said, self.seat)
        )

    async def hide(self) -> None:
        """Tells the others that this page's cursor is gone."""
        if self.shown is None:
            return
        content, self.shown = presence.gone(self.shown), None
        await self.notify("text.shown", by=self.channel_name, content=content)

    async def text_stored(self, message: dict[str, Any]) -> None:
        """Handles the group's message that a change was stored."""
        stored = Stored(*message["change"])
        if self.sent.is_behind(stored):
            await self.catch_up()
        elif news := self.sent.hear(stored):
            await self.send(bytes_data=line.changed(news))

    async def text_shown(self, message: dict[str, Any]) -> None:
        """Handles the group's message that somebody's cursor moved."""
        if message["by"] != self.channel_name:
            await self.send(bytes_data=line.presence(message["content"]))

    async def text_asked(self, message: dict[str, Any]) -> None:
        """Handles the message of a page that came, and wants to know where cursors are."""
        if self.shown is None or message["who"] == self.channel_name:
            return
        content = presence.written(self.shown, self.seat)
        shown = {"type": "text.shown", "by": self.channel_name, "content": content}
        with contextlib.suppress(RedisError, OSError):
            await self.channel_layer.send(message["who"], shown)

    async def workshop_changed(self, message: dict[str, str]) -> None:
        """Handles the message that something in the workshop changed: who may write, or who is
        in it."""
        if await self.is_seated(await looks.now(self.code)) and not pen.holds(self.seat):
            await self.hide()

    async def look(self) -> None:
        """Looks for changes whose messages were lost."""
        try:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                if await self.is_seated(await looks.lately(self.code, LOOK_SECONDS)):
                    await self.catch_up()
        except (DatabaseError, OSError) as error:
            log.warning("workshop %s: a page is sent away: %s", self.code, error)
            # Unless it has gone by itself.
            with contextlib.suppress(OSError):
                await self.close(BROKEN)

    async def catch_up(self) -> None:
        """Tells the page what was stored after what it was told last."""
        if self.sent.last is None:
            return
        for number, payload in await in_database(keeping.after)(self.code, self.sent.last):
            self.sent.last = max(number, self.sent.last)
            await self.send(bytes_data=line.changed(payload))

    async def is_seated(self, found: Look | Refusal) -> bool:
        """Looks who this person is in the workshop; closes the socket of who is not in it."""
        seat = seat_in(found, self.who)
        if isinstance(seat, Refusal):
            await self.refuse(seat)
            await self.close(CLOSES[seat.status])
            return False
        self.seat = seat
        return True

    async def notify(self, kind: str, **what: object) -> None:
        """Tells all pages that have the text open. Who is not reached looks for itself."""
        try:
            await self.channel_layer.group_send(text_group(self.code), {"type": kind, **what})
        except (RedisError, OSError) as error:
            log.warning("workshop %s: could not tell its pages: %s", self.code, error)

    async def refuse(self, refusal: Refusal) -> None:
        await self.send(text_data=errors.body(refusal).decode())


_DOES = {
    line.HAVE: TextConsumer.send_missing,
    line.LACK: TextConsumer.store,
    line.CHANGED: TextConsumer.store,
    line.PRESENCE: TextConsumer.show,
}
