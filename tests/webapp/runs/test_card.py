"""PUT /api/v1/runs/{id}/card: the picture beside a run's link, and what is no such picture."""

import struct
import zlib

import pytest

from webapp.runs.card import HEIGHT, MOST_BYTES, WIDTH, clean
from webapp.runs.models import Run


def chunk(name, content):
    return (
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
    )


def header(width=WIDTH, height=HEIGHT, depth=8, colour=6, interlaced=0):
    return struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)


def png(*more, head=None, rows=None, signature=b"\x89PNG\r\n\x1a\n"):
    rows = (b"\0" + bytes(4 * WIDTH)) * HEIGHT if rows is None else rows
    parts = [chunk(b"IHDR", head or header()), *more, chunk(b"IDAT", zlib.compress(rows))]
    return signature + b"".join(parts) + chunk(b"IEND", b"")


def test_nothing_is_kept_but_the_picture():
    note = chunk(b"tEXt", b"Comment\0<script>")
    cleaned = clean(png(note) + b"<html>")
    assert cleaned is not None
    assert b"script" not in cleaned and b"html" not in cleaned
    assert cleaned == clean(cleaned)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<svg/>",
        png(signature=b"GIF89a\0\0"),
        png(head=header(width=WIDTH + 1)),
        png(head=header(colour=3)),
        png(head=header(interlaced=1)),
        png(rows=bytes(10)),
        png(rows=bytes((1 + 4 * WIDTH) * (HEIGHT + 1))),
        png(rows=(b"\x09" + bytes(4 * WIDTH)) * HEIGHT),
        png()[:-20],
        png().replace(b"IDAT", b"IDAX"),
        png(chunk(b"tEXt", bytes(MOST_BYTES))),
    ],
    ids=lambda raw: str(len(raw)),
)
def test_what_is_no_such_picture_is_refused(raw):
    assert clean(raw) is None


def put(client, run, raw):
    return client.put(f"/api/v1/runs/{run.pk}/card", raw, content_type="image/png")


@pytest.mark.django_db
def test_the_picture_is_served_beside_the_link_and_takes_room(alice, bob, asked_by):
    run = asked_by(alice)
    assert bob.get(f"/r/{run.pk}/card.png").status_code == 404
    for _ in range(2):
        assert put(alice, run, png()).status_code == 204
    served = bob.get(f"/r/{run.pk}/card.png")
    assert served.headers["Content-Type"] == "image/png"
    assert served.content == clean(png())
    assert Run.objects.get().stored == len(served.content)


@pytest.mark.django_db
def test_who_has_only_the_link_puts_no_picture_there(alice, bob, asked_by):
    assert put(bob, asked_by(alice), png()).status_code == 403


def served(client, run):
    return client.get(f"/r/{run.pk}/card.png").content


@pytest.mark.django_db
def test_a_picture_beside_a_link_is_not_put_away_by_who_asks_for_the_same(alice, bob, asked_by):
    run = asked_by(alice)
    asked_by(bob, run)
    mine, theirs = png(), png(rows=(b"\0" + b"\xff" * (4 * WIDTH)) * HEIGHT)
    put(alice, run, mine)
    assert put(bob, run, theirs).status_code == 204
    assert served(bob, run) == clean(mine)
    assert Run.objects.get().stored == len(clean(mine))


@pytest.mark.django_db
def test_who_made_a_run_puts_away_anothers_picture_and_who_leaves_takes_theirs(
    alice, bob, asked_by
):
    run = asked_by(alice)
    asked_by(bob, run)
    mine, theirs = png(), png(rows=(b"\0" + b"\xff" * (4 * WIDTH)) * HEIGHT)
    for client, picture in ((bob, theirs), (alice, mine)):
        put(client, run, picture)
        assert served(alice, run) == clean(picture)
    alice.delete(f"/api/v1/runs/{run.pk}")
    assert bob.get(f"/r/{run.pk}/card.png").status_code == 404
    assert Run.objects.get().stored == 0


@pytest.mark.django_db
def test_a_refused_picture_is_one_sentence(alice, asked_by):
    answer = put(alice, asked_by(alice), b"GIF89a")
    assert answer.status_code == 422
    assert "1200 x 630" in answer.json()["error"]["remedy"]
