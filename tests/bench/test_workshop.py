"""What the bench of a workshop at work says of what its seats saw."""

import asyncio
import random

from pycrdt import Doc, Text

from bench.service import Seen
from bench.typing import Heard, Page, place_of
from bench.workshop import Outcome, judged, lost

GOOD = Outcome([10.0, 20.0], [[Seen(1, 3, "done", 2.0)], [Seen(1, 9, "failed", 3.0)]], [])


def broken(outcome: Outcome) -> list[str]:
    return [promise for promise, is_kept in judged(outcome).items() if not is_kept]


def test_what_was_promised_was_kept() -> None:
    assert broken(GOOD) == []
    assert any("1 done, 1 failed" in promise for promise in judged(GOOD))


def test_each_promise_that_was_not_kept_is_told_with_what_was_seen() -> None:
    runs = [[Seen(1, 3, "done", 2.0)], [Seen(1, 3, "done", 2.0)], [Seen(9, 70, "done", 60.0)]]
    outcome = Outcome([400.0], [*runs, [Seen(0, 0, "lost")]], ["seat 3 ..."], 1, memory_mb=(9, 10))
    found = broken(outcome)
    assert [each.split(":")[0] for each in found] == [
        "no edit is lost", "no seat is lost", "no run is lost",
        "a keystroke is on the others' pages within 300 ms, p95",
        "the first IR is there within 10 s, p95",
        "no seat waits more than 2 times the median for its first IRs, in the mean",
        "memory is steady",
    ]  # fmt: skip
    assert found[-2].endswith(": 30.00")


def test_a_bench_that_saw_nothing_kept_nothing() -> None:
    assert len(broken(Outcome([], [], []))) == 4


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
