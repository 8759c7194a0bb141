"""Two web processes serve one room: what is written, shown and decided at one is at the other's
pages, and one that is killed and started again has lost nothing."""

import asyncio
import os
import random
import statistics
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from bench.seats import Load, Seat
from bench.sockets import answers
from bench.typing import Heard, Page
from bench.workshop import lost
from tests import databases
from tests.ports import free_port
from webapp.live import text as live

pytestmark = pytest.mark.service
ROOT = Path(__file__).resolve().parents[3]
PATIENCE_S = 30
PLACE = f"/r/{'a' * 24}#stage=3"


class Web:
    """A web process."""

    def __init__(self, heard: Heard) -> None:
        self.port = free_port()
        self.load = Load(f"http://127.0.0.1:{self.port}", [], 0, 0, 0, heard)

    def start(self) -> None:
        command = (sys.executable, "-m", "webapp.serve", "--port", str(self.port))
        told = {**os.environ, "DATABASE_URL": databases.url()}
        self.process = subprocess.Popen(command, cwd=ROOT, env=told, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def webs(server: object) -> Iterator[tuple[Web, Web]]:
    heard = Heard()
    both = Web(heard), Web(heard)
    for web in both:
        web.start()
    yield both
    for web in both:
        web.kill()


async def come_true(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not what():
            await asyncio.sleep(0.02)


async def type_both(pages: list[Page], chance: random.Random, times: int) -> None:
    """At the same time, letter by letter."""
    for _ in range(times):
        await asyncio.gather(*(page.type(chance) for page in pages))
        await asyncio.sleep(0.01)


def address(seat: Seat) -> str:
    """Where the lines of this seat's page begin."""
    return f"{seat.load.url.replace('http', 'ws')}/ws/workshops/{seat.code}/"


@asynccontextmanager
async def writing(*seats: Seat) -> AsyncIterator[list[Page]]:
    """The pages of these seats that have the shared text open."""
    async with asyncio.TaskGroup() as group:
        lines = [
            group.create_task(seat.page.live(f"{address(seat)}text/", seat.load.url, seat.token))
            for seat in seats
        ]
        yield [seat.page for seat in seats]
        for line in lines:
            line.cancel()


def room_of(seat: Seat) -> connect:
    """The line on which this seat's page is told of the room."""
    return connect(
        address(seat),
        origin=seat.load.url,
        additional_headers={"Authorization": f"Bearer {seat.token}"},
    )


async def test_two_processes_serve_one_room_and_one_of_them_starts_again(
    webs: tuple[Web, Web],
) -> None:
    one, other = webs
    heard = one.load.heard
    await asyncio.gather(*(answers(web.port) for web in webs))
    lena, sam, late = Seat(one.load, 0, 7), Seat(other.load, 1, 7), Seat(other.load, 2, 7)
    lena.code = (await lena.ask("POST", "workshops", {"title": "Fusion", "name": "Lena"}))["code"]
    await sam.join(lena)
    chance = random.Random(7)
    async with writing(lena, sam) as pages:
        await type_both(pages, chance, 1)
        await come_true(lambda: lost(str(lena.page), pages) == [])
        await type_both(pages, chance, 30)
        await come_true(lambda: lost(str(lena.page), pages) == [])
        # By a message of the other process, and not only because each looks by itself.
        assert len(heard.took_ms) > 30
        assert statistics.median(heard.took_ms) < 1e3 * live.LOOK_SECONDS / 4
        other.kill()
        await type_both(pages, chance, 30)
        assert lost(str(lena.page), pages) != []
        other.start()
        await come_true(lambda: lost(str(lena.page), pages) == [])
        await type_both(pages, chance, 10)
        await late.join(lena)
        async with writing(late):
            await come_true(lambda: lost(str(late.page), pages) == [])
    assert heard.refused == []
    # Who is removed by one process is out at once at the other, and who is at it hears where the
    # leader of the other is.
    async with room_of(late) as told, room_of(sam) as removed:
        you = (await sam.ask("GET", f"workshops/{sam.code}"))["you"]
        await lena.ask("PATCH", f"workshops/{lena.code}", {"place": PLACE})
        await lena.ask("DELETE", f"workshops/{lena.code}/seats/{you}")
        async with asyncio.timeout(PATIENCE_S):
            while PLACE not in await told.recv():
                pass
            with pytest.raises(ConnectionClosed) as out:
                while True:
                    last = await removed.recv()
        assert "You were removed from this workshop." in last
        assert out.value.rcvd and out.value.rcvd.code == 4403
