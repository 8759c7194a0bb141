"""The conformance run: `python -m conformance [--part NAME] [--only TEXT] [--share 1/10]`.

In pieces that add up: the same command with `--minutes 8 --since YYYY-MM-DD` goes on with what was
not run to that share since that day.
With `--salt TEXT` all random programs are others, for a record of their own (`--json`, `--doc`)."""

import argparse
import sys
import time
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from pathlib import Path

from compiler_core import report, toolchain
from conformance import chance, document, parent, record
from conformance.device import use
from conformance.parts import PARTS, units
from conformance.sample import Unit

ROOT = Path(__file__).resolve().parent.parent
_BAD = ("wrong", "fault")
_EVERY_SECONDS = 30.0


def main(given: Sequence[str] | None = None) -> int:
    args = _arguments(given)
    use(args.device)
    if args.salt:
        chance.salt_with(args.salt)
    named = [u for part in args.part or PARTS for u in units(part, args.only, args.share)]
    if not named:
        print(f"no unit has {args.only!r} in its name")
        return 2
    todo = record.missing(named, record.read(args.json), args.since) if args.since else named
    limits = parent.Limits(args.seconds, processes=args.processes, minutes=args.minutes)
    rows = _judged(todo, limits, Recorded(args.json, args.doc))
    print("\n".join(document.totals(rows)))
    return int(any(row.counts.get(kind) for row in rows for kind in _BAD))


def _judged(todo: Sequence[Unit], limits: parent.Limits, recorded: "Recorded") -> list[record.Row]:
    """The rows of the units, recorded on the way; verdicts are shown as they come."""
    judged: dict[Unit, list[parent.Judged]] = {}
    rows: list[record.Row] = []
    progress = Progress(len(todo))

    def on_judged(one: parent.Judged) -> None:
        judged.setdefault(one.unit, []).append(one)
        progress.sample_done(one)

    def on_unit(unit: Unit) -> None:
        rows.extend(record.rows_of(judged.pop(unit, ())))
        progress.unit_done()
        recorded.now_and_then(rows)

    parent.run(todo, limits, on_judged, on_unit)
    progress.clear()
    recorded.now(rows)
    return rows


class Recorded:
    """The record's files, in which what was judged is written every half a minute: a run that is
    ended goes on from there with `--since`."""

    def __init__(self, data: Path, doc: Path) -> None:
        self.data, self.doc, self.at = data, doc, time.monotonic()
        self.versions = {name: str(v) for name, v in toolchain.toolchain().items() if v}

    def now_and_then(self, rows: Sequence[record.Row]) -> None:
        if time.monotonic() - self.at > _EVERY_SECONDS:
            self.now(rows)

    def now(self, rows: Sequence[record.Row]) -> None:
        everything = record.merged(record.read(self.data), rows)
        record.write(self.data, everything, self.versions)
        self.doc.write_text(document.text(everything, self.versions))
        self.at = time.monotonic()


class Progress:
    """A line on the terminal: units done, samples, and the time that is left at this rate."""

    def __init__(self, total: int) -> None:
        self.total, self.done, self.samples, self.began = total, 0, 0, time.monotonic()

    def sample_done(self, judged: parent.Judged) -> None:
        self.samples += 1
        if judged.verdict.kind in _BAD:
            self.clear()
            print(f"{judged.verdict.kind}: {judged.name}: {judged.verdict.reason}", flush=True)

    def unit_done(self) -> None:
        self.done += 1
        left = (time.monotonic() - self.began) / self.done * (self.total - self.done) / 60
        shown = f"{self.done} of {self.total} units, {self.samples} samples, {left:.0f} min left"
        self._write(shown)

    def clear(self) -> None:
        self._write("")

    def _write(self, line: str) -> None:
        """In the place of the line before, which a file has not."""
        if sys.stderr.isatty():
            print(f"\r\033[K{line}", end="", file=sys.stderr, flush=True)


def _arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    parser.add_argument("--part", action="append", choices=sorted(PARTS), help="all by default")
    parser.add_argument("--only", default="", help="units with this text in their names")
    parser.add_argument("--share", type=_share, default=1.0, help="how many samples, as 1/10")
    parser.add_argument(
        "--salt",
        default="",
        help="random samples are drawn anew: with another text, others",
    )
    parser.add_argument(
        "--since",
        type=_day,
        default="",
        help="only what was not run to that share since YYYY-MM-DD",
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="a sample may take")
    parser.add_argument("--processes", type=int, default=1, help="at a time")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="then no further unit is begun"
    )
    parser.add_argument(
        "--device", choices=report.DEVICES, default="cpu", help="where samples run; cpu by default"
    )
    parser.add_argument("--json", type=Path, default=ROOT / "docs" / "conformance.json")
    parser.add_argument("--doc", type=Path, default=ROOT / "docs" / "conformance.md")
    return parser.parse_args(given)


def _day(text: str) -> str:
    return text and date.fromisoformat(text).isoformat()


def _share(text: str) -> float:
    return float(Fraction(text))


if __name__ == "__main__":
    sys.exit(main())
