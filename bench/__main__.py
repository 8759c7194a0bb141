"""The benchmark: `python -m bench [--suite families] [--rounds N] [--only TEXT] [--resume]
[--device cuda] [--processes N]`.

Each snippet is measured in a process of its own, forked from a warm one as a worker's runner is,
one after the other, the whole suite `--rounds` times; a program's number is the median of its
rounds' medians. `--only medium-f32` are the families' programs of that size and dtype. The file is
written anew after each snippet of the last round, so what was measured before an end is there;
`--resume` measures the others. `--processes N` compiles N snippets at a time, and measures them one
after the other while nothing else runs: calls take what they take, compiling takes longer.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import pieces, record, table
from bench.options import add_options, add_suite, subjects_of
from bench.pieces import Piece, commit, now
from bench.side_by_side import SideBySide, batches
from bench.subjects import Subject
from bench.suites import ROOT
from bench.warm import Asked
from compiler_core import report
from compiler_core.schedule.figures import processor
from compiler_core.toolchain import toolchain

SCHEMA = 1
Reports = dict[Subject, list[report.Report]]


@dataclass(frozen=True)
class Run:
    """What was asked for, and under which circumstances it began."""

    args: argparse.Namespace
    before: tuple[Piece, ...]
    begun: str
    load: float
    path: Path

    @property
    def pieces(self) -> list[Piece]:
        """Those of before, and this one until now."""
        return [*self.before, Piece(self.begun, now(), self.load, commit("HEAD"))]


def main() -> int:
    args, begun = _arguments(), now()
    path = args.json or ROOT / "bench" / "results" / f"{begun[:10]}-{args.suite}.json"
    recorded = json.loads(path.read_text()) if args.resume and path.exists() else {}
    if refused := pieces.refusal(recorded, _here(args)):
        print(refused, file=sys.stderr)
        return 2
    run = Run(args, tuple(pieces.pieces_of(recorded)), begun, os.getloadavg()[0], path)
    rows = record.from_json(recorded.get("programs", ()))
    there = {r.snippet for r in rows}
    subjects = [s for s in subjects_of(args) if s.name not in there]
    if not subjects and not rows:
        print(f"no program of the suite {args.suite} has {args.only!r} in its name")
        return 2
    rows = _measure(subjects, run, rows)
    print(table.to_text(rows, record.totals(rows)))
    print(f"written to {path}")
    return 0 if all(r.verdict == "right" for r in rows) else 1


def _here(args: argparse.Namespace) -> dict[str, Any]:
    """What all pieces of a record have in common."""
    return {"suite": args.suite, "processor": processor(), "toolchain": toolchain()}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    add_suite(parser, "twelve")
    parser.add_argument("--rounds", type=int, default=1, help="measure the suite so many times")
    parser.add_argument("--json", type=Path, help="where to write (bench/results/DATE-SUITE.json)")
    parser.add_argument("--processes", type=int, default=1, help="compile so many side by side")
    parser.add_argument("--resume", action="store_true", help="keep what is written there already")
    add_options(parser)
    args = parser.parse_args()
    if args.rounds < 1 or args.processes < 1:
        parser.error("--rounds and --processes are 1 or more")
    return args


def _measure(subjects: Sequence[Subject], run: Run, rows: list[record.Row]) -> list[record.Row]:
    """The rows of before and of these snippets, written after each batch of the last round."""
    reports: Reports = {s: [] for s in subjects}
    several = SideBySide.of(min(run.args.processes, len(subjects)))
    for number in range(run.args.rounds):
        for at, batch in enumerate(batches(subjects, run.args.processes)):
            names, left = ", ".join(s.name for s in batch), len(subjects) - at * run.args.processes
            print(f"round {number + 1}, {left} left: {names}", file=sys.stderr, flush=True)
            found = several.measure([asked(s, run.args) for s in batch])
            for subject, one in zip(batch, found, strict=True):
                reports[subject] += [one] if one is not None else []
            if number == run.args.rounds - 1:
                rows = [*rows, *_rows(batch, reports)]
                _write(run, reports, rows)
    several.close()
    return rows


def _rows(batch: Sequence[Subject], reports: Reports) -> list[record.Row]:
    return [row for s in batch for row in record.rows_of(s.name, reports[s], s.family)]


def asked(subject: Subject, args: argparse.Namespace) -> Asked:
    """What is measured of a snippet."""
    source = subject.file.read_text()
    return Asked(source, tuple(args.compilers), subject.inputs, args.measure, args.device)


def _write(run: Run, reports: Reports, rows: Sequence[record.Row]) -> None:
    run.path.parent.mkdir(parents=True, exist_ok=True)
    found = [one for those in reports.values() for one in those] or [report.Report()]
    text = json.dumps(_file(run, found[-1], rows), indent=1)
    run.path.write_text(text + "\n")


def _file(run: Run, last: report.Report, rows: Sequence[record.Row]) -> dict[str, Any]:
    device = last.device
    return {
        "schema": SCHEMA,
        "date": run.pieces[0].begun,
        "pieces": pieces.as_json(run.pieces),
        "rounds": run.args.rounds,
        "device": {"kind": device.kind, "name": device.name, "threads": device.threads},
        **_here(run.args),
        "process": "one for each program and round, forked from one that is warm as a worker is",
        "compiled_side_by_side": run.args.processes,
        "totals": record.totals(rows),
        "programs": record.as_json(rows),
    }


if __name__ == "__main__":
    sys.exit(main())
