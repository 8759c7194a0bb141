"""The picture of a run that chats show beside its link: a PNG that the browser of whoever shares
the run has drawn of its fusion graph.

What is sent is a stranger's bytes. What is kept of them is a picture of the one size and kind that
the page draws, checked down to its last pixel, without anything else that a PNG may carry.
"""

import struct
import zlib
from collections.abc import Iterator

from django.db import transaction
from django.db.models import F

from webapp.runs.models import Run, RunCard, named

WIDTH, HEIGHT = 1200, 630
MOST_BYTES = 512 * 1024
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# Samples a pixel by colour type: RGB, RGBA.
_SAMPLES = {2: 3, 6: 4}
_FILTERS = range(5)
_LEVEL = 6


def clean(raw: bytes) -> bytes | None:
    """The picture alone, packed anew; None where `raw` is no PNG of WIDTH x HEIGHT in RGB or RGBA
    with 8 bits a sample, not interlaced, of at most MOST_BYTES."""
    if len(raw) > MOST_BYTES or not raw.startswith(_SIGNATURE):
        return None
    chunks = list(_chunks(raw[len(_SIGNATURE) :]))
    if not chunks or chunks[0][0] != b"IHDR" or chunks[-1][0] != b"IEND":
        return None
    header = chunks[0][1]
    samples = _samples(header)
    packed = b"".join(content for name, content in chunks if name == b"IDAT")
    pixels = _unpacked(packed, samples) if samples else None
    if pixels is None:
        return None
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(pixels, _LEVEL)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in parts)


def keep(run: Run, owner: str, picture: bytes) -> None:
    """Stores the cleaned picture of the person with this digest, as a part of what the run takes.
    One of somebody else's stays, whose link it stands beside; but whoever made the run may put
    theirs in its place."""
    with transaction.atomic():
        before = RunCard.objects.filter(run=run).first()
        if before and owner != run.owner and before.owner not in ("", owner):
            return
        said = {"picture": picture, "owner": owner}
        RunCard.objects.update_or_create(run=run, defaults=said)
        _take_room(run, len(picture) - (len(before.picture) if before else 0))


def drop(run: Run, owner: str) -> None:
    """The picture that the person with this digest put there goes with them."""
    for card in RunCard.objects.filter(run=run, owner=owner):
        _take_room(run, -len(card.picture))
        card.delete()


def _take_room(run: Run, more: int) -> None:
    Run.objects.filter(pk=run.pk).update(stored=F("stored") + more)


def of(run_id: str) -> bytes | None:
    """The picture of a run; None if nobody drew one."""
    found = RunCard.objects.filter(run__in=named(run_id)).values_list("picture", flat=True).first()
    return None if found is None else bytes(found)


def _samples(header: bytes) -> int | None:
    """How many a pixel has; None of a picture that is not kept."""
    if len(header) != 13:
        return None
    width, height, depth, colour, *ways = struct.unpack(">IIBBBBB", header)
    is_ours = (width, height, depth, *ways) == (WIDTH, HEIGHT, 8, 0, 0, 0)
    return _SAMPLES.get(colour) if is_ours else None


def _unpacked(packed: bytes, samples: int) -> bytes | None:
    """The rows, each after the number of its filter; None where they are not as many as there are
    to be. No more is unpacked than that."""
    row = 1 + WIDTH * samples
    unpacking = zlib.decompressobj()
    try:
        pixels = unpacking.decompress(packed, row * HEIGHT + 1)
    except zlib.error:
        return None
    is_whole = len(pixels) == row * HEIGHT and unpacking.eof
    return pixels if is_whole and all(f in _FILTERS for f in pixels[::row]) else None


def _chunks(raw: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Names and contents, up to the first that is cut or wrong."""
    at = 0
    while at + 12 <= len(raw):
        (size,) = struct.unpack_from(">I", raw, at)
        name, content = raw[at + 4 : at + 8], raw[at + 8 : at + 8 + size]
        end = raw[at : at + 12 + size]
        if end != _chunk(name, content):
            return
        yield name, content
        at += 12 + size


def _chunk(name: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + name
        + content
        + struct.pack(">I", zlib.crc32(name + content))
    )
