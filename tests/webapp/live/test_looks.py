"""One look for all pages of a workshop that ask at the same time."""

import asyncio

import pytest
from asgiref.sync import sync_to_async

from tests.webapp.workshops import people
from webapp.errors import Refusal
from webapp.live import looks as module
from webapp.live.looks import Looks, seat_in

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]

opened, change = map(sync_to_async, (people.opened, people.change))


@pytest.fixture
def looked(monkeypatch):
    """The codes that were looked at, one for each look."""
    seen = []

    async def look(code, real=module._looked):
        seen.append(code)
        return await real(code)

    monkeypatch.setattr(module, "_looked", look)
    return seen


async def test_thirty_that_ask_at_once_share_two_looks(alice, looked):
    code, looks = await opened(alice), Looks()
    first = asyncio.create_task(looks.now(code))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    # What is being read may be older than what these heard.
    rest = await asyncio.gather(*(looks.now(code) for _ in range(29)))
    assert len({id(each) for each in rest}) == 1
    assert rest[0] is not await first
    assert looked == [code, code]


async def test_a_look_after_a_change_has_seen_it(alice):
    code, looks = await opened(alice), Looks()
    before = await looks.now(code)
    await change(alice, code, title="Fission")
    assert (await looks.lately(code, 60)) is before
    assert (await looks.now(code)).workshop.title == "Fission"
    assert (await looks.lately(code, 60)).workshop.title == "Fission"
    assert (await looks.lately(code, 0)).taken > before.taken


async def test_who_is_nowhere_is_told_so_each_time(alice, looked):
    looks = Looks()
    for _ in range(2):
        found = await looks.lately("k7mq-2p9x", 60)
        assert isinstance(found, Refusal) and found.status == 404
    assert len(looked) == 2
    seat = seat_in(await looks.now(await opened(alice)), "")
    assert isinstance(seat, Refusal) and seat.status == 403
