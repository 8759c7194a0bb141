"""A record that was made in pieces, with `--resume`, says of each when it began and ended, under
which load, and of which version of the core it is; its date is the first one's.

All pieces are of one machine, and of one set of versions of what is compared: ratios of two are no
figure of either.
"""

import datetime
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.suites import ROOT


@dataclass(frozen=True)
class Piece:
    """Times as ISO 8601 has them, to the second; `load` is the machine's load before, of a
    minute; `core` the commit, blank in a record of before pieces were kept."""

    begun: str
    ended: str
    load: float
    core: str = ""


def now() -> str:
    """UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def commit(name: str) -> str:
    """The short hash of what git calls so."""
    command = ["git", "rev-parse", "--short=8", name]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout[:8]


def pieces_of(recorded: dict[str, Any]) -> list[Piece]:
    """Those of a file; one that kept none is one piece, whose end nobody knows. None of no file."""
    if "date" not in recorded:
        return []
    alone = {"begun": recorded["date"], "ended": "", "load": recorded.get("load_before", 0.0)}
    return [Piece(**each) for each in recorded.get("pieces", [alone])]


def as_json(pieces: Sequence[Piece]) -> list[dict[str, Any]]:
    return [asdict(each) for each in pieces]


def refusal(recorded: dict[str, Any], here: dict[str, Any]) -> str:
    """Why what would be measured now does not belong into that file, whose fields `here` has as
    they would be now; blank where it does, and of a field that an old file lacks."""
    others = (name for name, value in here.items() if recorded.get(name, value) != value)
    return "; ".join(
        f"the record is of another {name} ({recorded[name]}) than this ({here[name]}):"
        " write a new one with --json"
        for name in others
    )


def period(recorded: dict[str, Any]) -> str:
    """From when to when it was measured; a day where all of it is of one, or no end is known."""
    pieces = pieces_of(recorded)
    first, last = pieces[0].begun[:10], pieces[-1].ended[:10] or pieces[-1].begun[:10]
    days = first if first == last else f"{first} to {last}"
    return days if len(pieces) == 1 else f"{days}, in {len(pieces)} pieces"
