"""The benchmark: `python -m bench [--suite twelve] [--rounds N] [--only TEXT] [--json PATH]`.

Each program is measured in a fresh process, the programs one after the other, the whole suite
`--rounds` times; a program's number is the median of its rounds' medians.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import record, table
from bench.suites import ROOT, SUITES
from compiler_core import report

SCHEMA = 1
_SECONDS_A_PROGRAM = 600


def main() -> int:
    args = _arguments()
    files = [f for f in SUITES[args.suite]() if args.only in f.name]
    if not files:
        print(f"no program of the suite {args.suite} has {args.only!r} in its name")
        return 2
    begun = datetime.datetime.now(datetime.UTC)
    load = os.getloadavg()[0]
    reports = _reports(files, args.rounds)
    first = next((r for rounds in reports.values() for r in rounds), None)
    rows = [row for f in files for row in _rows(f.stem, reports[f])]
    if first is None or not rows:
        print("nothing was measured")
        return 1
    totals = record.totals(rows)
    path = args.json or ROOT / "bench" / "results" / f"{begun:%Y-%m-%d}-{args.suite}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_file(args, begun, load, first, rows, totals), indent=1) + "\n")
    print(table.to_text(rows, totals))
    print(f"written to {path}")
    return 0 if all("core" in r.times for r in rows) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--suite", choices=sorted(SUITES), default="twelve")
    parser.add_argument("--rounds", type=int, default=1, help="measure the suite so many times")
    parser.add_argument("--only", default="", help="programs with this text in their file's name")
    parser.add_argument("--json", type=Path, help="where to write (bench/results/DATE-SUITE.json)")
    args = parser.parse_args()
    if args.rounds < 1:
        parser.error("--rounds is 1 or more")
    return args


def _reports(files: Sequence[Path], rounds: int) -> dict[Path, list[report.Report]]:
    reports: dict[Path, list[report.Report]] = {f: [] for f in files}
    for number in range(rounds):
        for file in files:
            print(f"round {number + 1} of {rounds}: {file.stem}", file=sys.stderr, flush=True)
            found = _measured(file)
            if found is not None:
                reports[file].append(found)
    return reports


def _measured(file: Path) -> report.Report | None:
    """The report of a process of its own; None where it did not come to one."""
    command = [sys.executable, "-m", "bench.one", str(file)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, stdout=subprocess.PIPE, timeout=_SECONDS_A_PROGRAM, check=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{file.stem}: {error}", file=sys.stderr)
        return None
    return report.decode_report(done.stdout)


def _rows(snippet: str, reports: Sequence[report.Report]) -> list[record.Row]:
    """One row for each program of the snippet."""
    count = min((len(r.programs) for r in reports), default=0)
    return [
        record.row(snippet, [r.programs[i] for r in reports], reports[-1].protocol)
        for i in range(count)
    ]


def _file(
    args: argparse.Namespace,
    begun: datetime.datetime,
    load: float,
    first: report.Report,
    rows: Sequence[record.Row],
    totals: dict[str, Any],
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "suite": args.suite,
        "date": begun.isoformat(timespec="seconds"),
        "rounds": args.rounds,
        "device": {"kind": first.device.kind, "name": first.device.name,
                   "threads": first.device.threads},
        "load_before": load,
        "toolchain": first.toolchain,
        "process": "fresh for each program and round; warmed up as a worker is",
        "totals": totals,
        "programs": record.as_json(rows),
    }  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
