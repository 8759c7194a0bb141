"""The example that the front page opens on, finished: a report that scripts/first_example.py made
on the machine, and at the time, that it names.

It is a run like any other once somebody has asked for it: its texts, its link and what it is
compared with are had as those of any run.
"""

import gzip
import hashlib
from datetime import datetime
from functools import cache
from pathlib import Path

import msgspec

from compiler_core import report
from webapp.runs import shipped
from webapp.runs.models import ID_LENGTH, Run, id_of

FILE = Path(__file__).parent / "first.json.gz"
# The line of the snippet that is chosen when the page opens: what it says.
CHOSEN = "rsqrt"


class Stored(msgspec.Struct, frozen=True):
    """What the file holds: a report as `--json` writes it, with its texts."""

    # When it was over, and how many seconds it had taken.
    finished: datetime
    seconds: float
    report: report.Report


def read() -> Stored:
    """The file. Raises msgspec.DecodeError where it is of other types than today's."""
    return msgspec.json.decode(gzip.decompress(FILE.read_bytes()), type=Stored)


def line(source: str) -> int:
    """The number, from 1, of the line that is chosen."""
    return next(n for n, text in enumerate(source.splitlines(), 1) if CHOSEN in text)


def run() -> Run:
    """The run, stored now where nobody has asked for it yet."""
    found = Run.objects.filter(pk=_id()).first()
    if found is not None:
        return found
    stored = read()
    whole = report.migrate(stored.report)
    return shipped.store(_id(), shipped.Shipped(whole, stored.finished, stored.seconds))


@cache
def _id() -> str:
    """Of the file's content: another file is another run, and links to the old one stay."""
    return id_of(hashlib.sha256(FILE.read_bytes()).digest()[:ID_LENGTH])
