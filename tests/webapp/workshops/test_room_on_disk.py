"""What workshops keep has bounds, and nothing of it is kept below the floor of free disk."""

import shutil
from collections import namedtuple

import pytest
from django.core.cache import cache

from tests.webapp.browser import Browser
from tests.webapp.workshops.people import BASE, JSON, change, join, opened
from webapp.workshops import handing, kept, returning
from webapp.workshops.models import HandedOut

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]
Usage = namedtuple("Usage", "total used free")
LONG = "# " + "x" * 200_000


def hand_out(alice, code, source):
    return alice.post(f"{BASE}/{code}/handout", {"source": source}, content_type=JSON)


def test_below_a_floor_of_free_disk_no_text_is_kept_and_no_workshop_opened(alice, bob, monkeypatch):
    code = opened(alice)
    seat = join(bob, code).json()["you"]
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(2**40, 2**40, 2**20))
    exercise = {"toml": "x", "start": LONG[:30_000]}
    kept = [
        alice.post(BASE, {"title": "Fusion", "name": "Lena"}, content_type=JSON),
        hand_out(alice, code, LONG),
        change(alice, code, f"/seats/{seat}", sent_back=LONG),
        alice.put(f"{BASE}/{code}/exercises/one", exercise, content_type=JSON),
        alice.put(f"{BASE}/{code}/course.zip", b"x" * 5_000, content_type="application/zip"),
    ]
    assert [each.status_code for each in kept] == [503] * 5
    assert "too little room" in kept[1].json()["error"]["message"]
    # What is no text goes on.
    assert change(alice, code, locked=True).json()["locked"]
    assert not HandedOut.objects.exists()


def test_what_all_workshops_keep_has_a_bound(alice, bob, settings):
    settings.WORKSHOPS_MB = 1
    code, other = opened(alice), opened(bob)
    for number in range(5):
        assert hand_out(alice, code, f"{LONG}{number}").status_code == 200
    exercise = {"toml": "x" * 10, "start": LONG[:60_000]}
    alice.put(f"{BASE}/{code}/exercises/one", exercise, content_type=JSON)
    cache.clear()
    assert kept.all_bytes() > 1_000_000
    hand_out(alice, code, LONG)
    settings.WORKSHOPS_MB = 0.9
    refused = hand_out(bob, other, LONG)
    assert refused.status_code == 503
    assert "all workshops take their 0.9 MiB" in refused.json()["error"]["message"]


def test_of_long_snippets_that_were_handed_out_only_the_newest_are_kept(alice):
    code = opened(alice)
    for number in range(8):
        assert hand_out(alice, code, f"{LONG}{number}").status_code == 200
    kept = alice.get(f"{BASE}/{code}/handouts").json()["handouts"]
    assert [each["number"] for each in kept] == [8, 7, 6, 5, 4]
    assert sum(len(each.source) for each in HandedOut.objects.all()) <= handing.MOST_SIGNS


def test_texts_that_nobody_read_are_sent_back_up_to_a_bound(alice, bob, monkeypatch):
    monkeypatch.setattr(returning, "MOST_SIGNS", 300_000)
    code = opened(alice)
    sam, kim = (
        join(who, code, name).json()["you"] for who, name in ((bob, "Sam"), (Browser(), "Kim"))
    )

    def sent_back(seat, source):
        return change(alice, code, f"/seats/{seat}", sent_back=source).status_code

    assert (sent_back(sam, LONG), sent_back(sam, LONG + "y"), sent_back(kim, LONG)) == (
        200,
        200,
        422,
    )
    change(bob, code, "/seat", comment="")
    assert sent_back(kim, LONG) == 200
