"""The answer with a run and its report.

A report of today's form is sent as it is stored, in gzip, with the run's own lines put before its
blocks. For whom that is not possible it is unpacked, filled with its texts, packed again, piece by
piece, each paid for before it is made: what is held of an answer is a piece of it, however large
the report is and however slowly it is read.
"""

import asyncio
import gzip
import hashlib
import re
import zlib
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator
from http import HTTPStatus
from itertools import chain, islice
from typing import TypeVar

import msgspec
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from msgspec import structs

from compiler_core import report
from webapp.budget import DECODED_MIB, PACKED_MIB, Purse
from webapp.charged import charge, purse_of
from webapp.errors import Refused
from webapp.packing import takes_gzip
from webapp.runs import joined, pieces, plain, texts, views, wire
from webapp.runs.models import FINAL, Run
from webapp.threads import on_own_threads

Response = TypeVar("Response", bound=HttpResponseBase)

MIB = 2**20
_JSON, TEXT = "application/json", "text/plain; charset=utf-8"
_NOT_OF_FILES = re.compile(r"[^\w.+-]")
_LONGEST_NAME = 80
# A hash is of one text for ever.
_FOR_EVER = "private, max-age=31536000, immutable"
# What zlib looks back over, as a power of two, and how much it keeps of it: together 64 KiB for
# each answer where its default is 256, for a tenth more to be sent.
_WINDOW_BITS, _MEMORY = 13, 6


class Packer:
    """Packs piece by piece what is paid for from this purse."""

    def __init__(self, purse: Purse | None) -> None:
        self._purse = purse
        self._by = zlib.compressobj(1, zlib.DEFLATED, _WINDOW_BITS | 16, _MEMORY)

    async def packed(self, piece: bytes) -> bytes:
        """What there is of the gzip stream after this piece."""
        if self._purse:
            await self._purse.paid(PACKED_MIB * len(piece) / MIB)
        return await asyncio.to_thread(self._by.compress, piece)

    def end(self) -> bytes:
        """The rest of it."""
        return self._by.flush()


def sent(request: HttpRequest, run: Run, mine: bool, with_texts: bool) -> HttpResponseBase:
    """The run with its report, with the texts in it or without, packed for those who take it so.
    Raises Refused (429)."""
    size = pieces.stored_bytes(Run.objects.filter(pk=run.pk), "report")
    if size and run.state not in FINAL:
        # It has ended since it was looked up.
        run.refresh_from_db()
    if size and run.form == report.form():
        return _stored(request, run, views.head(run, mine), size, with_texts)
    seen = _decoded(request, run, mine, size) if size else _live(request, run, mine)
    before, after = _around(seen)
    tag = _tag(seen, with_texts)
    if _has(request, tag):
        return _unchanged(tag)
    parts = [before, bytes(seen.report), after]
    return _tagged(whole(request, _filled(run, parts, with_texts)), tag)


def _decoded(request: HttpRequest, run: Run, mine: bool, size: int) -> wire.RunView:
    charge(request, DECODED_MIB * min(size, views.MOST_LIVE_BYTES) / MIB)
    return views.view(run, mine)


def _live(request: HttpRequest, run: Run, mine: bool) -> wire.RunView:
    """What is known of a run that goes on; who has not the budget for all of that gets what was
    known before. Raises Refused (429) where nothing was."""
    known = views.known_live(run)
    if known and known.is_of(run):
        return views.live_view(run, mine, known)
    try:
        charge(request, DECODED_MIB * min(run.stored, views.MOST_LIVE_BYTES) / MIB)
    except Refused:
        if known is None:
            raise
        return views.live_view(run, mine, known)
    return views.live_view(run, mine)


def _stored(
    request: HttpRequest, run: Run, seen: wire.RunView, size: int, with_texts: bool
) -> HttpResponseBase:
    before, after = _around(seen)
    tag = _tag(seen, with_texts)
    if _has(request, tag):
        return _unchanged(tag)
    return _tagged(_of_stored(request, run, (before, after), size, with_texts), tag)


def _of_stored(
    request: HttpRequest, run: Run, lines: tuple[bytes, bytes], size: int, with_texts: bool
) -> HttpResponseBase:
    (before, after), row = lines, Run.objects.filter(pk=run.pk)
    end = pieces.part(row, "report", range(max(0, size - joined.END_BYTES), size))
    if takes_gzip(request) and not with_texts and joined.is_joinable(end):
        around = joined.Around(before, end, after)
        blocks = pieces.stored(row, "report", around.inner(size))
        parts = chain([around.before], blocks, [around.after])
        return _answer(parts, is_packed=True)
    text = pieces.unpacked(pieces.stored(row, "report", range(size)))
    return whole(request, _filled(run, chain([before], text, [after]), with_texts))


def _tag(seen: wire.RunView, with_texts: bool) -> str:
    """What tells an answer from every other of the run: all of it but for its clock, and for the
    report, which the number of its last event and its form tell. Weak, for it is the same packed
    and plain."""
    before, _ = _around(structs.replace(seen, seconds=0.0))
    parts = b"%s %d %a" % (before, with_texts, report.form())
    return f'W/"{hashlib.sha256(parts).hexdigest()[:32]}"'


def _has(request: HttpRequest, tag: str) -> bool:
    return tag in request.headers.get("If-None-Match", "")


def _unchanged(tag: str) -> HttpResponse:
    return _tagged(HttpResponse(status=HTTPStatus.NOT_MODIFIED), tag)


def _tagged(response: Response, tag: str) -> Response:
    """Whoever keeps it asks whether it has changed."""
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _around(seen: wire.RunView) -> tuple[bytes, bytes]:
    """The JSON of a RunView before its report, and after it."""
    whole = msgspec.json.encode(structs.replace(seen, report=msgspec.Raw(b"null")))
    return whole[: -len(b"null}")], b"}"


def _filled(run: Run, parts: Iterable[bytes], with_texts: bool) -> Iterable[bytes]:
    if not with_texts:
        return parts

    return report.with_texts(parts, lambda sha256: pieces.unpacked(texts.packed(run.pk, sha256)))


def whole(request: HttpRequest, parts: Iterable[bytes], kind: str = _JSON) -> HttpResponseBase:
    """The answer with what these are together, of this type, packed for those who take it so."""
    packer = Packer(purse_of(request)) if takes_gzip(request) else None
    return _answer(parts, kind, is_packed=packer is not None, packer=packer)


def text(request: HttpRequest, found: views.Named) -> HttpResponseBase:
    """The answer with a text."""
    return whole(request, found.parts(), TEXT)


def file(request: HttpRequest, found: views.Named) -> HttpResponseBase:
    """The answer with a file, a stranger's bytes: to be saved, never to be shown."""
    answered = whole(request, plain.file(found.parts()), "application/octet-stream")
    name = _NOT_OF_FILES.sub("-", found.name[-_LONGEST_NAME:])
    answered["Content-Disposition"] = content_disposition_header(True, name)
    return answered


def listed(request: HttpRequest, name: str, entries: Iterable[object]) -> HttpResponseBase:
    """The answer with an object whose only field, of this name, is the list of these."""

    def parts() -> Iterator[bytes]:
        yield b'{"%s":[' % name.encode()
        for number, entry in enumerate(entries):
            yield (b"," if number else b"") + msgspec.json.encode(entry)
        yield b"]}"

    return whole(request, parts())


def _answer(
    parts: Iterable[bytes], kind: str = _JSON, *, is_packed: bool, packer: Packer | None = None
) -> HttpResponseBase:
    """Whole where it is of one piece."""
    gathered = pieces.gathered(parts)
    begun = deque(islice(gathered, 2))
    response: HttpResponseBase
    if len(begun) < 2:
        content = b"".join(begun)
        content = gzip.compress(content, 1, mtime=0) if packer else content
        response = HttpResponse(content, content_type=kind)
    else:
        response = StreamingHttpResponse(
            _packed_parts(_from(begun, gathered), packer), content_type=kind
        )
    if is_packed:
        response["Content-Encoding"] = "gzip"
    response["Vary"] = "Accept-Encoding"
    return response


def _from(begun: deque[bytes], others: Iterator[bytes]) -> Iterator[bytes]:
    """All parts; none of those that were begun is held when it has been taken."""
    while begun:
        yield begun.popleft()
    yield from others


async def _packed_parts(parts: Iterator[bytes], packer: Packer | None) -> AsyncIterator[bytes]:
    """The parts, packed where there is a packer."""
    async for part in on_own_threads(parts):
        yield await packer.packed(part) if packer else part
    if packer:
        yield packer.end()


def for_ever(request: HttpRequest, packed: Iterator[bytes], tag: str) -> HttpResponseBase:
    """The answer with JSON in gzip, which never changes; unpacked for whoever takes no gzip."""
    response: HttpResponseBase
    if _has(request, tag):
        response = HttpResponse(status=HTTPStatus.NOT_MODIFIED)
    elif takes_gzip(request):
        response = _answer(packed, is_packed=True)
    else:
        response = _answer(pieces.unpacked(packed), is_packed=False)
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = _FOR_EVER
    response.headers["Vary"] = "Accept-Encoding"
    return response
