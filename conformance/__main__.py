"""The conformance run: `python -m conformance [--part NAME] [--only TEXT] [--share 1/10]`."""

import argparse
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from compiler_core import toolchain
from conformance import document, parent, record
from conformance.parts import PARTS, units
from conformance.sample import Unit

ROOT = Path(__file__).resolve().parent.parent
_BAD = ("wrong", "fault")


def main() -> int:
    args = _arguments()
    todo = [u for part in args.part or PARTS for u in units(part, args.only, args.share)]
    if not todo:
        print(f"no unit has {args.only!r} in its name")
        return 2
    limits = parent.Limits(args.seconds, processes=args.processes, minutes=args.minutes)
    rows = record.rows_of(_judged(todo, limits))
    _write(rows, args.json, args.doc)
    print("\n".join(document.totals(rows)))
    return int(any(row.counts.get(kind) for row in rows for kind in _BAD))


def _judged(todo: Sequence[Unit], limits: parent.Limits) -> list[parent.Judged]:
    """The verdicts, shown as they come."""
    judged: list[parent.Judged] = []
    progress = Progress(len(todo))

    def on_judged(one: parent.Judged) -> None:
        judged.append(one)
        progress.sample_done(one)

    parent.run(todo, limits, on_judged, progress.unit_done)
    progress.clear()
    return judged


def _write(rows: Sequence[record.Row], data: Path, doc: Path) -> None:
    versions = {name: str(v) for name, v in toolchain.toolchain().items() if v}
    everything = record.merged(record.read(data), rows)
    record.write(data, everything, versions)
    doc.write_text(document.text(everything, versions))


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
        print(f"\r\033[K{shown}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__)
    parser.add_argument("--part", action="append", choices=sorted(PARTS), help="all by default")
    parser.add_argument("--only", default="", help="units with this text in their names")
    parser.add_argument("--share", type=_share, default=1.0, help="how many samples, as 1/10")
    parser.add_argument("--seconds", type=float, default=60.0, help="a sample may take")
    parser.add_argument("--processes", type=int, default=1, help="at a time")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="then no further unit is begun"
    )
    parser.add_argument("--json", type=Path, default=ROOT / "docs" / "conformance.json")
    parser.add_argument("--doc", type=Path, default=ROOT / "docs" / "conformance.md")
    return parser.parse_args()


def _share(text: str) -> float:
    return float(Fraction(text))


if __name__ == "__main__":
    sys.exit(main())
