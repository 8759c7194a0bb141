"""What the bench of a workshop at work says of what its seats saw."""

import asyncio
import os
import random
import socket
import time
from collections import Counter
from itertools import islice

from pycrdt import Doc, Text

from bench.checks import Checked, answers
from bench.processes import launcher_at
from bench.seats import Load, Seat
from bench.service import Seen
from bench.typing import Heard, Page, place_of
from bench.wishes import listed, wishes
from bench.workshop import Outcome, judged, lost

GOOD = Outcome(
    [10.0, 20.0],
    [[Seen(1, 3, "done", 2.0)], [Seen(1, 9, "failed", 3.0)]],
    [],
    checks=[Checked("softmax", True, 4.0)],
    memory_mb=(100, 104),
)


def broken(outcome: Outcome) -> list[str]:
    return [promise for promise, is_kept in judged(outcome).items() if not is_kept]


def test_what_was_promised_was_kept() -> None:
    assert broken(GOOD) == []
    assert any("1 done, 1 failed" in promise for promise in judged(GOOD))


def test_each_promise_that_was_not_kept_is_told_with_what_was_seen() -> None:
    runs = [[Seen(1, 3, "done", 2.0)], [Seen(1, 3, "done", 2.0)], [Seen(9, 70, "done", 60.0)]]
    outcome = Outcome([400.0], [*runs, [Seen(0, 0, "lost")]], ["seat 3 ..."], 1, memory_mb=(9, 10))
    outcome.checks = [*GOOD.checks, Checked("softmax", False, 9.0, "2 kernels.")]
    found = broken(outcome)
    assert [each.split(":")[0] for each in found] == [
        "no edit is lost", "no seat is lost", "no run is lost", "no check of an answer fails",
        "a keystroke is on the others' pages within 300 ms, p95",
        "the first IR is there within 10 s, p95",
        "no seat waits more than 2 times the median for its first IRs, in the mean",
        "memory is steady",
    ]  # fmt: skip
    told = "the longest 60.0 s, 9.0 of it in line; the median 2.0 s, 1.0 of it in line"
    assert found[3].endswith("1 of 2 passed, p95 after 8.8 s; softmax: 2 kernels.")
    assert f"30.00 (3 seats; {told}); by chance alone" in found[-2]


def test_a_bench_that_saw_nothing_kept_nothing() -> None:
    found = broken(Outcome([], [], []))
    assert len(found) == 6 and found[-1] == "memory is steady: nobody looked; give --pid"


def test_the_launcher_is_found_by_who_listens_at_its_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        assert launcher_at(url) == os.getppid()
    assert launcher_at(url) is None


def test_all_seats_run_the_same_list_each_in_an_order_of_its_own() -> None:
    sources = listed([f"s{at}" for at in range(50)], 9)
    assert (len(sources), sources[0]) == (9, "s0")
    asked = [[*islice(wishes(sources, seat, 0), 18)] for seat in range(20)]
    for each in asked:
        for whole in (each[:9], each[9:]):
            assert sorted(wish.source for wish in whole) == sorted(sources)
    assert len({tuple(wish.source for wish in each) for each in asked}) > 15
    texts = Counter((wish.source, wish.mark) for each in asked for wish in each)
    assert Counter(texts.values()) == {20: 6, 1: 20 * 12}
    measured = [sum(wish.measure for wish in each) for each in asked]
    assert set(measured) == {1, 2}


def test_a_followers_page_is_where_the_leader_is_when_it_hears_of_it_first() -> None:
    load = Load("", ["s"], 60, 60, 0)
    seat, places = Seat(load, 1, 0), [f"/r/one#stage={at}" for at in range(2)]
    load.went = dict.fromkeys(places, time.perf_counter())

    async def hears() -> None:
        for place in (places[0], places[0], places[1], places[0]):
            await seat.hears(place, "one")

    asyncio.run(hears())
    assert len(load.followed_ms) == 3


def test_an_edit_that_is_in_no_copy_is_lost() -> None:
    page, chance = Page(3, Heard()), random.Random(0)
    for _ in range(40):
        asyncio.run(page.type(chance))
    assert 0 < len(page.wanted) < 40
    assert lost(str(page), [page]) == []
    assert lost("", [Page(3, Heard())]) == []
    page.wanted += "x"
    assert lost(str(page), [page]) == [
        f"seat 0 typed {len(page.wanted)} letters that stay, and {len(page.wanted) - 1} are there"
    ]
    assert lost("", [page])[0] == "copy 0 is another text"


def test_a_keystroke_is_known_by_its_writer_and_clock() -> None:
    doc, updates = Doc(), list[bytes]()
    doc.observe(lambda event: updates.append(event.update))
    text = doc.get("source", type=Text)
    text.insert(0, "a")
    text.insert(1, "b")
    del text[0:1]
    client = doc.client_id
    assert [place_of(each) for each in updates] == [(client, 0), (client, 1), None]


def test_each_seat_solves_all_exercises_in_texts_of_its_own() -> None:
    asked = [[*islice(answers(seat, 0), 16)] for seat in range(5)]
    for each in asked:
        assert len({name for name, _ in each[:8]}) == 8
        assert [name for name, _ in each[:8]] == [name for name, _ in each[8:]]
    assert len({text for each in asked for _, text in each}) == 5 * 16
