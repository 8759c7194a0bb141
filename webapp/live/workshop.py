"""/ws/workshops/{code}/: a workshop as the person whose page asks sees it, at first and whenever it
changes.

    {"room": {...}}                            as GET /api/v1/workshops/{code}
    {"error": {"message", "remedy", "input"}}  then closed: 4403 not in it, 4404 no such workshop

The database has it all; the group's messages only announce that something changed, and a socket
looks for itself every few seconds: a run at a seat ends without a message. As long as the socket is
open, its person is here.
"""

import asyncio
import contextlib
import logging

import msgspec
from django.db import Error as DatabaseError
from django.utils import timezone
from redis.exceptions import RedisError

from webapp import errors
from webapp.errors import Refusal
from webapp.live.database import in_database
from webapp.live.looks import looks, seat_in
from webapp.live.socket import Socket
from webapp.runs import owner
from webapp.workshops import snapshot
from webapp.workshops.announce import announce, group
from webapp.workshops.models import Seat
from webapp.workshops.snapshot import Look
from webapp.workshops.wire import Room

LOOK_SECONDS = 2
CLOSES = {403: 4403, 404: 4404}
BROKEN = 1011
log = logging.getLogger(__name__)


class WorkshopConsumer(Socket):
    """One WebSocket of one page in a workshop."""

    code: str
    who: str
    group_name: str | None = None
    # The room as it was last sent, and when it was looked at.
    sent, sent_of = b"", 0.0
    looking: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Accepts the socket and sends the workshop; refuses whoever is not in it."""
        await self.accept()
        self.sending = asyncio.Lock()
        self.code = self.scope["url_route"]["kwargs"]["code"]
        self.who = owner.digest_of_socket(dict(self.scope["headers"]))
        room = await self.send_room(await looks.now(self.code))
        if room is None:
            return
        self.code, self.group_name = room.code, group(room.code)
        await self.channel_layer.group_add(self.group_name, self.channel_name)
        self.looking = asyncio.create_task(self.look())

    async def disconnect(self, code: int) -> None:
        """Leaves the group."""
        if self.looking:
            self.looking.cancel()
        if self.group_name:
            with contextlib.suppress(RedisError, OSError):
                await self.channel_layer.group_discard(self.group_name, self.channel_name)

    async def workshop_changed(self, message: dict[str, str]) -> None:
        """Handles the group's message, whose name announce.py sets."""
        await self.send_room(await looks.now(self.code))

    async def look(self) -> None:
        """Looks for changes that nobody announced, and says that this person is here."""
        try:
            while True:
                await _is_here(self.code, self.who)
                for _ in range(snapshot.SEEN_EVERY_S // LOOK_SECONDS):
                    await self.send_room(await looks.lately(self.code, LOOK_SECONDS))
                    await asyncio.sleep(LOOK_SECONDS)
        except (DatabaseError, OSError) as error:
            log.warning("workshop %s: a page is sent away: %s", self.code, error)
            await self.close(BROKEN)

    async def send_room(self, found: Look | Refusal) -> Room | None:
        """Sends the workshop, unless it is as it was; None if this person is not in it, whose
        socket is closed."""
        seat = seat_in(found, self.who)
        async with self.sending:
            if isinstance(found, Refusal) or isinstance(seat, Refusal):
                refusal = found if isinstance(found, Refusal) else seat
                await self.send(text_data=errors.body(refusal).decode())
                await self.close(CLOSES[refusal.status])
                return None
            room = snapshot.room_seen_by(found, seat)
            now = msgspec.json.encode({"room": room})
            if now != self.sent and found.taken >= self.sent_of:
                self.sent, self.sent_of = now, found.taken
                await self.send(text_data=now.decode())
            return room


@in_database
def _is_here(code: str, who: str) -> None:
    """Notes that the person's page was heard of; tells the others where it had been silent."""
    now = timezone.now()
    seats = Seat.objects.filter(workshop=code, owner=who)
    silent = seats.filter(seen__lt=now - snapshot.LATELY).exists()
    seats.update(seen=now)
    if silent:
        announce(code)
