"""The benchmark: `python -m bench [--suite models] [--rounds N] [--only TEXT] [--resume]`.

Each snippet is measured in a fresh process, one after the other, the whole suite `--rounds` times;
a program's number is the median of its rounds' medians. The file is written anew after each snippet
of the last round, so what was measured before an end is there; `--resume` measures the others.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import record, table
from bench.one import add_options
from bench.suites import ROOT, SUITES
from compiler_core import report

SCHEMA = 1
_SECONDS_A_PROGRAM = 600


@dataclass(frozen=True)
class Run:
    """What was asked for, and under which circumstances it began."""

    args: argparse.Namespace
    begun: datetime.datetime
    load: float
    path: Path


def main() -> int:
    args = _arguments()
    begun = datetime.datetime.now(datetime.UTC)
    path = args.json or ROOT / "bench" / "results" / f"{begun:%Y-%m-%d}-{args.suite}.json"
    run = Run(args, begun, os.getloadavg()[0], path)
    rows = _rows_before(path) if args.resume else []
    there = {r.snippet for r in rows}
    files = [f for f in SUITES[args.suite]() if args.only in f.name and f.stem not in there]
    if not files and not rows:
        print(f"no program of the suite {args.suite} has {args.only!r} in its name")
        return 2
    rows = _measure(files, run, rows)
    print(table.to_text(rows, record.totals(rows)))
    print(f"written to {path}")
    return 0 if all(r.verdict == "right" for r in rows) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--suite", choices=sorted(SUITES), default="twelve")
    parser.add_argument("--rounds", type=int, default=1, help="measure the suite so many times")
    parser.add_argument("--only", default="", help="programs with this text in their file's name")
    parser.add_argument("--json", type=Path, help="where to write (bench/results/DATE-SUITE.json)")
    parser.add_argument("--resume", action="store_true", help="keep what is written there already")
    add_options(parser)
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds is 1 or more")
    return args


def _rows_before(path: Path) -> list[record.Row]:
    return record.from_json(json.loads(path.read_text())["programs"]) if path.exists() else []


def _measure(files: Sequence[Path], run: Run, rows: list[record.Row]) -> list[record.Row]:
    """The rows of before and of these snippets, written after each snippet of the last round."""
    reports: dict[Path, list[report.Report]] = {f: [] for f in files}
    last = report.Report()
    for number in range(run.args.rounds):
        for file in files:
            print(
                f"round {number + 1} of {run.args.rounds}: {file.stem}", file=sys.stderr, flush=True
            )
            found = _measured(file, run.args)
            if found is not None:
                reports[file].append(found)
                last = found
            if number == run.args.rounds - 1:
                rows = [*rows, *record.rows_of(file.stem, reports[file])]
                _write(run, last, rows)
    return rows


def _measured(file: Path, args: argparse.Namespace) -> report.Report | None:
    """The report of a process of its own; None where it did not come to one."""
    command = [sys.executable, "-m", "bench.one", str(file), "--compilers"]
    command += [",".join(args.compilers), *([] if args.measure else ["--no-measure"])]
    try:
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, timeout=_SECONDS_A_PROGRAM, check=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{file.stem}: {error}", file=sys.stderr)
        return None
    return report.decode_report(done.stdout)


def _write(run: Run, last: report.Report, rows: Sequence[record.Row]) -> None:
    run.path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(_file(run, last, rows), indent=1)
    run.path.write_text(text + "\n")


def _file(run: Run, last: report.Report, rows: Sequence[record.Row]) -> dict[str, Any]:
    device = last.device
    return {
        "schema": SCHEMA,
        "suite": run.args.suite,
        "date": run.begun.isoformat(timespec="seconds"),
        "rounds": run.args.rounds,
        "device": {"kind": device.kind, "name": device.name, "threads": device.threads},
        "load_before": run.load,
        "toolchain": last.toolchain,
        "process": "fresh for each program and round; warmed up as a worker is",
        "totals": record.totals(rows),
        "programs": record.as_json(rows),
    }


if __name__ == "__main__":
    sys.exit(main())
