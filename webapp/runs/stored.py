"""A report as it is stored: plain or in gzip. Needs no Django, for what is done in a process
apart."""

import gzip

from compiler_core import report

_GZIP = b"\x1f\x8b"


def is_packed(stored: bytes) -> bool:
    """Whether it is in gzip."""
    return stored.startswith(_GZIP)


def unpacked(stored: bytes) -> bytes:
    """The JSON of a stored report, in whichever version's form."""
    return gzip.decompress(stored) if is_packed(stored) else stored


def current(stored: bytes) -> bytes:
    """Its JSON in today's form."""
    return report.current(unpacked(stored))


def decoded(stored: bytes) -> report.Report:
    """The report, without those of its texts that are kept apart."""
    return report.decode_report(unpacked(stored))
