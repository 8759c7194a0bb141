"""A zip that is sent while it is made: no more of it than one file is held."""

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from django.utils import timezone

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Outlet(io.RawIOBase):
    """Takes what a zip writes; it cannot be sought in, so that nothing is written twice."""

    def __init__(self) -> None:
        self._held = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, content: "ReadableBuffer") -> int:
        before = len(self._held)
        self._held += content
        return len(self._held) - before

    def drain(self) -> bytes:
        drained, self._held = bytes(self._held), bytearray()
        return drained


def zipped(entries: Iterable[tuple[str, str]]) -> Iterator[bytes]:
    """The zip of these files, in parts; paths are taken as they are."""
    outlet, now = _Outlet(), timezone.now().timetuple()[:6]
    with zipfile.ZipFile(outlet, "w") as archive:
        for path, text in entries:
            archive.writestr(zipfile.ZipInfo(path, now), text, zipfile.ZIP_DEFLATED)
            yield outlet.drain()
    yield outlet.drain()
