"""/ws/runs/{id}/?after=<seq>: every event of a run after `seq`, then each new one as it is stored.

    {"seq": 4, "event": {...}}                    one event; numbers rise by one
    {"state": "running", "seq": 4, "seconds": 2}  at first and on every change
    {"heartbeat": true, "seconds": 12}            now and then, to detect a broken connection
    {..., "ahead": 3, "wait_s": 20, "waits_for": ""}
                                                  both, of a run that waits: the runs before it, and
                                                  why no worker takes any now
    {"error": {"message", "remedy", "input"}}     then closed: 4400 bad `after`, 4404 no such run

`seconds` is how long the run has taken by the server's clock, from the request for it to its end.
After a final state and all events the socket is closed with 1000. The events of a run are kept
until a minute after its end: if the final state's `seq` is beyond the last event received, the rest
is in the report, GET /api/v1/runs/{id}. A stage's texts are fetched separately from its event
unless they are small, by the hashes in `stored`. An event `started` begins the report anew: it is
the first event, but for a `stage_began` of name `start` where the compiler is not warm yet, and is
sent again when the run of a lost worker is restarted.

The consumer joins the run's group before it reads, and reads every event from the database; the
group's messages only announce that there are new ones. So no event is missed or sent twice.
"""

import asyncio
import contextlib
import logging
from codecs import getincrementaldecoder
from urllib.parse import parse_qs

import msgspec
from django.db import Error as DatabaseError
from redis.exceptions import RedisError

from compiler_core import report
from webapp import errors
from webapp.errors import Refusal
from webapp.live.database import in_database
from webapp.live.position import position
from webapp.live.socket import Socket
from webapp.runs import events, pieces, turns
from webapp.runs.announce import group
from webapp.runs.models import FINAL, Run, RunEvent, named

HEARTBEAT_SECONDS = 10
BAD_AFTER, NO_RUN, ENDED, BROKEN = 4400, 4404, 1000, 1011
log = logging.getLogger(__name__)


class RunConsumer(Socket):
    """One WebSocket that follows one run."""

    run_id: str
    group_name: str | None = None
    # The number of the last event sent, and the last state sent.
    seq = 0
    state: str | None = None
    closed = False
    beating: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        """Accepts the socket, joins the run's group, and sends what has been stored; refuses an
        unknown run."""
        await self.accept()
        self.reading = asyncio.Lock()
        self.run_id = self.scope["url_route"]["kwargs"]["run_id"]
        query = parse_qs(self.scope["query_string"].decode("latin-1"), keep_blank_values=True)
        after = position(query.get("after", ["0"])[-1])
        if isinstance(after, Refusal):
            return await self.refuse(after, BAD_AFTER)
        last = await _standing(self.run_id)
        if last is None:
            return await self.refuse(_unknown(self.run_id), NO_RUN)
        if after > last.last_seq:
            return await self.refuse(_beyond(after, last.last_seq), BAD_AFTER)
        self.seq, self.group_name = after, group(self.run_id)
        await self.channel_layer.group_add(self.group_name, self.channel_name)
        await self.catch_up()
        self.beating = asyncio.create_task(self.beat())

    async def disconnect(self, code: int) -> None:
        """Leaves the group and ends the heartbeats."""
        self.closed = True
        if self.beating:
            self.beating.cancel()
        if self.group_name:
            # A group forgets by itself whoever does not take its messages.
            with contextlib.suppress(RedisError, OSError):
                await self.channel_layer.group_discard(self.group_name, self.channel_name)

    async def run_changed(self, message: dict[str, str]) -> None:
        """Handles the group's message, whose name announce.py sets."""
        await self.catch_up()

    async def beat(self) -> None:
        """Sends heartbeats, and looks for new events in case a message of the group was lost."""
        try:
            while not self.closed:
                await asyncio.sleep(HEARTBEAT_SECONDS)
                await self.catch_up(beat=True)
        except (DatabaseError, OSError) as error:
            log.warning("run %s: a watcher is sent away: %s", self.run_id, error)
            await self.end(BROKEN)

    async def catch_up(self, beat: bool = False) -> None:
        """Sends new events, after a heartbeat if it is time for one. The state is read before the
        events, since none follow a final state."""
        async with self.reading:
            if self.closed:
                return
            standing = await _standing(self.run_id)
            if standing is None:
                return await self.refuse(_unknown(self.run_id), NO_RUN)
            if beat:
                clock = {"heartbeat": True, "seconds": standing.seconds}
                await self.send_message(clock | await _waiting(standing))
            await self.send_events(standing)
            if not self.closed:
                await self.send_state(standing)

    async def send_events(self, standing: Run) -> None:
        """Sends the events after the last one sent, up to the last that there was."""
        while self.seq < standing.last_seq and not self.closed:
            if large := await _large(self.run_id, self.seq, standing.form):
                await self.send_large(*large)
                continue
            page = await _page(self.run_id, self.seq, standing.form)
            if not page:
                return
            for seq, payload in page:
                await self.send(text_data=f'{{"seq":{seq},"event":{payload.decode()}}}')
                self.seq = seq

    async def send_large(self, seq: int, size: int) -> None:
        """Sends an event piece by piece, each read when the one before it has been sent."""
        text = getincrementaldecoder("utf-8")()
        await self.send_part(f'{{"seq":{seq},"event":', more=True)
        try:
            for start in range(0, size, pieces.READ_BYTES):
                at = range(start, min(start + pieces.READ_BYTES, size))
                await self.send_part(text.decode(await _part(self.run_id, seq, at)), more=True)
        except RunEvent.DoesNotExist:
            # Dropped meanwhile: whoever has half of a message has to ask again.
            return await self.end(BROKEN)
        await self.send_part("}", more=False)
        self.seq = seq

    async def send_state(self, run: Run) -> None:
        """Sends the run's state, unless that has been sent."""
        if run.state == self.state:
            return
        self.state = run.state
        # Events that are no longer kept are in the report.
        seq = run.last_seq if run.state in FINAL else self.seq
        now = {"state": run.state, "seq": seq, "seconds": run.seconds}
        await self.send_message(now | await _waiting(run))
        if run.state in FINAL:
            await self.end(ENDED)

    async def send_message(self, message: dict[str, object]) -> None:
        await self.send(text_data=msgspec.json.encode(message).decode())

    async def refuse(self, refusal: Refusal, code: int) -> None:
        """Sends the refusal, then closes the socket with `code`."""
        await self.send(text_data=errors.body(refusal).decode())
        await self.end(code)

    async def end(self, code: int) -> None:
        self.closed = True
        await self.close(code)


@in_database
def _standing(run_id: str) -> Run | None:
    """The run with its state, the number of its last event, their form, and its clock."""
    return named(run_id).defer("source", "report").first()


@in_database
def _large(run_id: str, seq: int, form: str) -> tuple[int, int] | None:
    """The number and the bytes of the next event if it is a large one; none of an earlier version's
    is, for each has to be read whole."""
    return events.large(run_id, seq) if form == report.form() else None


@in_database
def _part(run_id: str, seq: int, at: range) -> bytes:
    return events.part(run_id, seq, at)


@in_database
def _waiting(run: Run) -> dict[str, object]:
    """What is told of a run that waits."""
    ahead = turns.ahead(run)
    if ahead is None:
        return {}
    return {"ahead": ahead.runs, "wait_s": ahead.seconds, "waits_for": ahead.waits_for}


@in_database
def _page(run_id: str, seq: int, form: str) -> list[tuple[int, bytes]]:
    """Events as today's, also of a run that an earlier version began."""
    found = events.after(run_id, seq)
    if form == report.form():
        return found
    return [(at, report.current_event(payload)) for at, payload in found]


def _unknown(run_id: str) -> Refusal:
    return Refusal(
        404,
        f'There is no run "{run_id[:40]}".',
        "Check the link; a run that nobody shared is deleted after 30 days.",
        "id",
    )


def _beyond(after: int, last: int) -> Refusal:
    return Refusal(
        400,
        f"after={after} is beyond the run's last event, {last}.",
        "Give the number of the last event that you have, or 0.",
        "after",
    )
