"""/ws/workshops/{code}/: a workshop as those in it see it."""

from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from tests.webapp.live.sockets import Socket
from tests.webapp.workshops import people
from webapp.live import workshop as live
from webapp.workshops.models import Seat

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]

opened, join, change = map(sync_to_async, (people.opened, people.join, people.change))


async def watching(person, code):
    cookie = f"fuselab_owner={person.cookies['fuselab_owner'].value}".encode()
    return await Socket(f"/ws/workshops/{code}/", cookie=cookie).open()


async def test_who_is_in_it_is_told_of_every_change_at_once(alice, bob):
    code = await opened(alice)
    await join(bob, code)
    socket = await watching(bob, code)
    assert (await socket.next())["room"]["title"] == "Fusion"
    await change(alice, code, title="Fission")
    assert (await socket.next())["room"]["title"] == "Fission"
    await socket.leave()


async def test_who_is_removed_is_out_at_once(alice, bob):
    code = await opened(alice)
    seat = (await join(bob, code)).json()["you"]
    socket = await watching(bob, code)
    await socket.next()
    await sync_to_async(alice.delete)(f"{people.BASE}/{code}/seats/{seat}")
    told = (await socket.next())["error"]["message"]
    assert told == "You were removed from this workshop."
    assert await socket.next() == live.CLOSES[403]
    await socket.leave()


async def test_outsiders_hear_nothing(alice):
    code = await opened(alice)
    socket = await Socket(f"/ws/workshops/{code}/").open()
    assert "room" not in await socket.next()
    assert await socket.next() == live.CLOSES[403]
    await socket.leave()


async def test_an_unknown_workshop(server):
    socket = await Socket("/ws/workshops/k7mq-2p9x/").open()
    assert "no workshop" in (await socket.next())["error"]["message"]
    assert await socket.next() == live.CLOSES[404]
    await socket.leave()


async def test_whoever_has_a_page_open_is_here(alice, bob):
    code = await opened(alice)
    await join(bob, code)
    long_ago = timezone.now() - timedelta(minutes=5)
    await sync_to_async(Seat.objects.filter(name="Sam").update)(seen=long_ago)
    leader = await watching(alice, code)
    assert [s["here"] for s in (await leader.next())["room"]["seats"]] == [True, False]
    seat = await watching(bob, code)
    assert [s["here"] for s in (await leader.next())["room"]["seats"]] == [True, True]
    await seat.leave()
    await leader.leave()
