"""/ws/runs/{id}/: a run as those who watch it see it."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from compiler_core import report
from tests.webapp.live.sockets import PATIENCE_SECONDS, Socket, watching
from webapp.live import consumer
from webapp.runs import announce, events, frozen, lifecycle, pieces, turns
from webapp.runs.applied import apply_all
from webapp.runs.models import Run, RunEvent

pytestmark = pytest.mark.service

STORED = Path(__file__).parents[2] / "compiler_core" / "report" / "stored"
start = sync_to_async(lifecycle.start)
finish = sync_to_async(lifecycle.finish)
append = sync_to_async(events.append)


def printed(number):
    return report.Printed("stdout", str(number))


async def test_it_works(server, run, story):
    async with watching(run.pk) as bob:
        assert await bob.next() == {"state": "queued", "seq": 0}
        await start(run.pk)
        assert await bob.next() == {"state": "running", "seq": 0}
        await append(run.pk, story[:2])
        first, second = await bob.next(), await bob.next()
        assert (first["seq"], first["event"]["type"]) == (1, "started")
        assert (second["seq"], second["event"]["name"]) == (2, "double")
        await append(run.pk, story[2:])
        await finish(run.pk, "done")
        assert await bob.numbers(2) == [3, 4]
        assert await bob.next() == {"state": "done", "seq": 4}
        assert await bob.next() == consumer.ENDED


async def test_how_long_a_run_takes_is_told_by_the_servers_clock(server, run):
    asked = timezone.now() - timedelta(minutes=5)
    await sync_to_async(Run.objects.filter(pk=run.pk).update)(created=asked)
    async with watching(run.pk) as bob:
        await bob.next()
        assert bob.seconds >= 300
    await start(run.pk)
    await finish(run.pk, "done")
    ended = asked + timedelta(seconds=12.5)
    await sync_to_async(Run.objects.filter(pk=run.pk).update)(finished=ended)
    async with watching(run.pk) as bob:
        assert await bob.next() == {"state": "done", "seq": 0}
        assert bob.seconds == 12.5


async def test_what_a_watcher_gets_folds_into_the_frozen_report(server, run, story):
    await start(run.pk)
    await append(run.pk, story)
    await finish(run.pk, "done")
    async with watching(run.pk) as bob:
        got = [await bob.next() for _ in story]
    told = apply_all(report.decode_event(json.dumps(m["event"]).encode()) for m in got)
    await sync_to_async(run.refresh_from_db)()
    assert report.encode_report(report.without_texts(told)) == frozen.read(run)


async def test_who_comes_when_the_events_are_gone_is_told_how_many_there_were(server, run, story):
    await start(run.pk)
    await append(run.pk, story)
    await finish(run.pk, "done")
    ended = timezone.now() - events.KEPT_FOR
    await sync_to_async(Run.objects.filter(pk=run.pk).update)(finished=ended)
    await sync_to_async(events.drop_frozen)()
    async with watching(run.pk, "?after=2") as bob:
        assert await bob.next() == {"state": "done", "seq": 4}
        assert await bob.next() == consumer.ENDED


@pytest.mark.parametrize("after", [0, 1, 3])
async def test_a_watcher_who_comes_back_gets_what_was_missed(server, run, story, after):
    await start(run.pk)
    await append(run.pk, story)
    async with watching(run.pk, f"?after={after}") as bob:
        assert await bob.numbers(4 - after) == list(range(after + 1, 5))
        assert await bob.next() == {"state": "running", "seq": 4}
        await append(run.pk, [printed(5)])
        assert (await bob.next())["seq"] == 5


async def test_a_run_that_has_ended_is_replayed_and_closed(server, run, story):
    await start(run.pk)
    await append(run.pk, story)
    await finish(run.pk, "failed")
    async with watching(run.pk, "?after=4") as bob:
        assert await bob.next() == {"state": "failed", "seq": 4}
        assert await bob.next() == consumer.ENDED


async def test_nothing_is_missed_and_nothing_comes_twice_while_events_pour_in(server, run):
    """Watchers come at any moment of a run; each gets every number once and in order."""
    await start(run.pk)
    total = 30
    watchers = []
    for number in range(1, total + 1):
        await append(run.pk, [printed(number)])
        if number % 6 == 1:
            watchers.append(await Socket(f"/ws/runs/{run.pk}/").open())
    await finish(run.pk, "done")
    for bob in watchers:
        seen = []
        while (message := await bob.next()) != consumer.ENDED:
            if "event" in message:
                seen.append(message["seq"])
        assert seen == list(range(1, total + 1))
        await bob.leave()


async def test_who_waits_is_told_how_many_are_before(server, make_run, monkeypatch):
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(turns, "_ORDER_KEPT", 0)
    make = sync_to_async(make_run)
    first, second = await make(owner="a"), await make(owner="b")
    async with watching(second.pk) as bob:
        assert await bob.next() == {"state": "queued", "seq": 0}
        assert bob.ahead == (1, None)
        await start(first.pk)
        while bob.ahead != (0, None):
            assert await bob.next() == {"heartbeat": True}


async def test_more_events_than_a_page_holds_are_all_replayed(server, run, monkeypatch):
    await start(run.pk)
    await append(run.pk, [printed(number) for number in range(events.PAGE + 5)])
    async with watching(run.pk) as bob:
        assert await bob.numbers(events.PAGE + 5) == list(range(1, events.PAGE + 6))


async def test_more_watchers_than_a_pool_has_connections_come_and_go_at_once(server, run):
    address = f"/ws/runs/{run.pk}/"
    sockets = await asyncio.gather(*(Socket(address).open() for _ in range(120)))
    first = await asyncio.gather(*(socket.next() for socket in sockets))
    assert {message["state"] for message in first} == {"queued"}
    await sync_to_async(lifecycle.cancel)(run.pk)
    last = await asyncio.gather(*(socket.next() for socket in sockets))
    assert {message["state"] for message in last} == {"cancelled"}
    await asyncio.gather(*(socket.leave() for socket in sockets))


async def test_who_reads_slowly_holds_little_in_memory(server, run, monkeypatch):
    await start(run.pk)
    await append(run.pk, [report.Printed("stdout", "x" * 60_000) for _ in range(40)])
    page = sync_to_async(events.after)
    sizes, seq = [], 0
    while found := await page(run.pk, seq):
        seq = found[-1][0]
        sizes.append(sum(len(payload) for _, payload in found))
    assert seq == 40
    assert max(sizes) <= events.PAGE_BYTES


async def test_a_large_event_is_read_as_it_is_sent(server, run, monkeypatch):
    """Whoever reads nothing then holds a piece of it, and not all."""
    await start(run.pk)
    said = "é€" * 300_000
    await append(run.pk, [report.Printed("stdout", said), printed(2)])
    read = []
    part = pieces.part
    monkeypatch.setattr(pieces, "part", lambda *given: read.append(given[2]) or part(*given))
    async with watching(run.pk) as bob:
        assert (await bob.next())["event"] == {"type": "printed", "stream": "stdout", "text": said}
        assert len(read) > 10 and max(map(len, read)) == pieces.READ_BYTES
        assert (await bob.next())["event"]["text"] == "2"
        assert await bob.next() == {"state": "running", "seq": 2}


async def test_who_is_in_the_middle_of_an_event_that_goes_is_sent_away(server, run, monkeypatch):
    """They connect again, and are told anew from the last one that they have whole."""
    await start(run.pk)
    await append(run.pk, [printed(1), report.Printed("stdout", "x" * 600_000)])
    part = pieces.part

    def gone(rows, field, at):
        if at.start:
            rows.delete()
        return part(rows, field, at)

    monkeypatch.setattr(pieces, "part", gone)
    bob = await Socket(f"/ws/runs/{run.pk}/").open()
    assert (await bob.next())["seq"] == 1
    message = {"more": True}
    while message.get("more"):
        message = await bob.receive_output(PATIENCE_SECONDS)
    assert (message["type"], message["code"]) == ("websocket.close", consumer.BROKEN)


async def test_a_lost_message_costs_a_moment_and_no_event(server, run, story, monkeypatch):
    monkeypatch.setattr(consumer, "HEARTBEAT_SECONDS", 0.05)
    await start(run.pk)
    async with watching(run.pk) as bob:
        assert (await bob.next())["state"] == "running"
        with monkeypatch.context() as patch:
            patch.setattr(events, "announce", lambda run_id: None)
            await append(run.pk, story[:1])
        seen = await bob.next()
        while seen == {"heartbeat": True}:
            seen = await bob.next()
        assert seen["seq"] == 1


async def test_events_of_an_earlier_version_come_as_todays(server, run):
    """The page that is open while a new version is deployed knows only that one's events."""
    stored = (STORED / "schema-1.events.jsonl").read_bytes().splitlines()
    await start(run.pk)
    rows = [RunEvent(run_id=run.pk, seq=at, payload=raw) for at, raw in enumerate(stored, 1)]
    await sync_to_async(RunEvent.objects.bulk_create)(rows)
    await sync_to_async(Run.objects.filter(pk=run.pk).update)(last_seq=len(rows), form="")
    async with watching(run.pk) as bob:
        got = [(await bob.next())["event"] for _ in rows]
    assert {e["stage"]["graph"] for e in got if e["type"] == "stage_done"} == {"whole"}
    [kernels] = [e["kernels"] for e in got if e.get("kernels")]
    assert [(k["graph"], k["backend"], k["candidates"]) for k in kernels] == [("whole", "", [])]


async def test_a_run_begun_again_starts_afresh_with_higher_numbers(server, run, story):
    await start(run.pk)
    await append(run.pk, story[:2])
    async with watching(run.pk) as bob:
        assert await bob.numbers(3) == [1, 2]
        await start(run.pk)
        await append(run.pk, story[:1])
        again = await bob.next()
        assert (again["seq"], again["event"]["type"]) == (3, "started")


async def test_who_watches_sees_that_its_asker_cancelled(server, run, story, bob, asked_by):
    await sync_to_async(asked_by)(bob, run)
    await start(run.pk)
    async with watching(run.pk) as alice:
        assert (await alice.next())["state"] == "running"
        await append(run.pk, story[:1])
        await sync_to_async(bob.post)(f"/api/v1/runs/{run.pk}/cancel")
        assert (await alice.next())["seq"] == 1
        assert await alice.next() == {"state": "cancelled", "seq": 1}
        assert await alice.next() == consumer.ENDED


async def test_a_run_deleted_meanwhile_says_so(server, run):
    async with watching(run.pk) as bob:
        await bob.next()
        run_id = run.pk
        await sync_to_async(Run.objects.all().delete)()
        await sync_to_async(events.announce)(run_id)
        assert (await bob.next())["error"]["message"] == f'There is no run "{run_id}".'
        assert await bob.next() == consumer.NO_RUN


async def test_who_leaves_is_forgotten(server, run):
    # Redis tells of the subscriptions of all its databases: a page of another test's may watch.
    watched = f"*{announce.group(run.pk)}"
    async with watching(run.pk) as bob:
        await bob.next()
        assert server.pubsub_channels(watched)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while server.pubsub_channels(watched):
            await asyncio.sleep(0.01)
