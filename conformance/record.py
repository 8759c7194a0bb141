"""Verdicts, kept as counts and reasons by entry. A run over a part of the entries replaces these
and leaves the others as they were recorded."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, get_args

from conformance.parent import Judged
from conformance.sample import Unit
from conformance.verdict import Kind

SCHEMA = 1
KINDS: tuple[Kind, ...] = get_args(Kind)
_LONGEST = 300


@dataclass(frozen=True)
class Row:
    """The samples of one entry in one variant; `reasons[kind][text]` counts them, too. `share` of
    its samples were run, on the day `date` (YYYY-MM-DD; "" of rows from before days were kept)."""

    part: str
    entry: str
    variant: str
    share: float
    counts: Mapping[str, int]
    reasons: Mapping[str, Mapping[str, int]]
    date: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.part, self.variant, self.entry

    def reasons_of(self, *kinds: Kind) -> Iterator[str]:
        for kind in kinds:
            yield from self.reasons.get(kind, {})


def rows_of(judged: Iterable[Judged]) -> list[Row]:
    """A row for each unit."""
    units: dict[Any, list[Judged]] = defaultdict(list)
    for each in judged:
        units[each.unit].append(each)
    return [_row(unit, each) for unit, each in units.items()]


def _row(unit: Any, judged: list[Judged]) -> Row:
    counts: Counter[str] = Counter(j.verdict.kind for j in judged)
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for j in judged:
        if j.verdict.reason:
            reasons[j.verdict.kind][_sentence(j)] += 1
    plain = {kind: dict(each) for kind, each in reasons.items()}
    share, today = min(1.0, unit.share), date.today().isoformat()
    return Row(unit.part, unit.entry, unit.variant, share, dict(counts), plain, today)


def _sentence(judged: Judged) -> str:
    """The reason on one line; a fault and a wrong result with the number of the sample."""
    text = " ".join(judged.verdict.reason.split())[:_LONGEST]
    numbered = judged.verdict.kind in ("fault", "wrong")
    return f"sample {judged.number}: {text}" if numbered else text


def read(path: Path) -> list[Row]:
    """The rows of a file; none where there is no file."""
    if not path.exists():
        return []
    return [Row(**row) for row in json.loads(path.read_text())["rows"]]


def merged(old: Iterable[Row], new: Iterable[Row]) -> list[Row]:
    """The rows of `new`, and those of `old` that `new` has not, in order."""
    rows = {row.key: row for row in (*old, *new)}
    return [rows[key] for key in sorted(rows)]


def missing(units: Iterable[Unit], rows: Iterable[Row], since: str) -> list[Unit]:
    """The units of which less than their share was run since a day (YYYY-MM-DD)."""
    had = {row.key: row.share for row in rows if row.date >= since}
    wanted = ((u, (u.part, u.variant, u.entry)) for u in units)
    return [unit for unit, key in wanted if had.get(key, -1.0) < min(1.0, unit.share)]


def write(path: Path, rows: Iterable[Row], versions: Mapping[str, str]) -> None:
    """One line a row, so that a difference is readable."""
    lines = ",\n".join(json.dumps(vars(row), sort_keys=True) for row in rows)
    head = json.dumps({"schema": SCHEMA, "versions": dict(versions)}, sort_keys=True)
    path.write_text(f'{head[:-1]}, "rows": [\n{lines}\n]}}\n')
