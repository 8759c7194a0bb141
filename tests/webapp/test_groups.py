"""What threads tell the pages of a group."""

import asyncio
import threading

import pytest
import redis
from channels.layers import get_channel_layer

from webapp import groups

pytestmark = pytest.mark.service
MANY = 500


async def heard(layer, channel: str) -> str:
    message = await asyncio.wait_for(layer.receive(channel), 5)
    return message["type"]


async def test_what_any_thread_tells_is_heard(server: redis.Redis) -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add("everybody", channel)
    for kind in ("first.thing", "second.thing"):
        threading.Thread(target=groups.notify, args=("everybody", kind)).start()
        assert await heard(layer, channel) == kind


async def test_a_group_is_not_told_as_often_as_something_changed(server: redis.Redis) -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add("everybody", channel)
    for _ in range(MANY):
        groups.notify("everybody", "thing.changed")
    groups.notify("everybody", "that.was_all")
    told = 0
    while await heard(layer, channel) == "thing.changed":
        told += 1
    # Not by what Redis counts: who else is at the same server publishes as well.
    assert 1 <= told < MANY


async def test_a_page_whose_line_to_redis_was_cut_hears_on(server: redis.Redis) -> None:
    layer = get_channel_layer()
    channel = await layer.new_channel()
    await layer.group_add("everybody", channel)
    server.client_kill_filter(_type="pubsub")
    hearing = asyncio.create_task(heard(layer, channel))
    while not hearing.done():
        groups.notify("everybody", "thing.changed")
        await asyncio.sleep(0.05)
    assert await hearing == "thing.changed"
