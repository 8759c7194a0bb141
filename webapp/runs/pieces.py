"""What is stored, read and unpacked piece by piece: who sends it holds no more than a piece."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import connections
from django.db.models import BinaryField, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Length, Substr

# Of an answer that is read slowly some six of them are held: as it is stored, unpacked, with its
# texts, packed and as it is sent.
BYTES = 2**15
# So much is read at a time: SQLite goes through all that comes before it each time.
READ_BYTES = 2 * BYTES


def stored_bytes(rows: QuerySet[Any], field: str) -> int:
    """How long the field of the one row is."""
    return rows.annotate(long=Length(field)).values_list("long", flat=True).get() or 0


def part(rows: QuerySet[Any], field: str, at: range) -> bytes:
    """So much of the field of the one row."""
    connection = connections[rows.db]
    if connection.vendor == "sqlite":
        return _opened(connection, rows, field, at)
    cut = Substr(field, at.start + 1, len(at), output_field=BinaryField())
    return bytes(rows.annotate(part=cut).values_list("part", flat=True).get() or b"")


def _opened(connection: Any, rows: QuerySet[Any], field: str, at: range) -> bytes:
    """The same of SQLite, which would read all of the field to cut a part of it."""
    row = rows.annotate(row=RawSQL("rowid", ())).values_list("row", flat=True).get()
    column = rows.model._meta.get_field(field).column
    with connection.connection.blobopen(rows.model._meta.db_table, column, row, readonly=True) as b:
        b.seek(at.start)
        return bytes(b.read(len(at)))


def stored(rows: QuerySet[Any], field: str, at: range) -> Iterator[bytes]:
    """The same in pieces, each read when it is wanted."""
    for start in range(at.start, at.stop, READ_BYTES):
        yield part(rows, field, range(start, min(start + READ_BYTES, at.stop)))


def unpacked(packed: Iterable[bytes]) -> Iterator[bytes]:
    """The text of a gzip stream, in pieces."""
    by = zlib.decompressobj(zlib.MAX_WBITS | 16)
    for piece in packed:
        left = piece
        while left:
            yield by.decompress(left, BYTES)
            left = by.unconsumed_tail
    yield by.flush()


def gathered(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The same in pieces of about BYTES, none of which is empty."""
    held = bytearray()
    for each in parts:
        held += each
        if len(held) >= BYTES:
            whole = bytes(held)
            held.clear()
            yield whole
    if held:
        yield bytes(held)
