"""Two versions of the core, measured in turns: `python -m bench.against COMMIT [--suite families]
[--only medium-f32] [--rounds 5] [--json PATH]`.

The other version's `compiler_core` is taken from git into a folder that is gone at the end. Each
version has a warm process of its own that forks for each snippet; who goes first alternates, so
that a machine that grows slower tells on both. A program's ratio is the other version's median of
its rounds' medians over that of the working tree: more than 1 is faster now. What compiling took,
from the graph, is compared as well. A version that is too old for bench.warm is asked by
bench.oldest, and so is the working tree then.
"""

import argparse
import datetime
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any

from bench.options import add_suite, subjects_of
from bench.pieces import commit
from bench.record import geomean
from bench.subjects import Subject
from bench.suites import ROOT
from bench.warm import Asked, Ended, Warm
from compiler_core.schedule.figures import processor

TOO_OLD = (
    "the compiler core of {commit} does not run under today's bench, which says why above: name a "
    "newer commit, or measure that one by its own `python -m bench` on this machine"
)
# Ratios nearer to 1 than that are not named: processes of one version differ by as much.
NAMED = 1.03


@dataclass
class Pair:
    """Microseconds of a call of the core's, round by round, of one program."""

    name: str
    before: list[float] = field(default_factory=list)
    now: list[float] = field(default_factory=list)
    # Milliseconds from the graph to what is called, of both.
    compiling: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))

    @property
    def ratio(self) -> float | None:
        """None where one of the two has no time."""
        return _ratio(self.before, self.now)

    @property
    def compiling_ratio(self) -> float | None:
        """The same of compiling."""
        return _ratio(*self.compiling)


def _ratio(before: Sequence[float], now: Sequence[float]) -> float | None:
    return median(before) / median(now) if before and now else None


def main() -> int | str:
    args = _arguments()
    subjects = subjects_of(args)
    if not subjects:
        return f"no program of the suite {args.suite} has {args.only!r} in its name"
    begun, load = datetime.datetime.now(datetime.UTC), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="fuselab-") as folder:
        refused = _take(args.commit, Path(folder))
        if refused:
            return refused
        for module in ("bench.warm", "bench.oldest"):
            versions = Warm(Path(folder), module), Warm(ROOT, module)
            try:
                pairs = [*_measure(subjects, versions, args.rounds).values()]
                break
            except Ended:
                continue
            finally:
                for version in versions:
                    version.close()
        else:
            return TOO_OLD.format(commit=args.commit)
    print("\n".join(said(pairs)))
    if args.json:
        found = _file(args, begun, load, module, pairs)
        args.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.against", description=__doc__)
    parser.add_argument("commit")
    add_suite(parser, "twelve")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="where the times of every round are written")
    return parser.parse_args()


def _take(commit: str, folder: Path) -> str:
    """Puts the commit's compiler core into `folder`. Returns why it could not."""
    command = ["git", "archive", commit, "compiler_core"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        return f"{commit} is not taken from git: {done.stderr.decode().strip()}"
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return ""


def _measure(
    subjects: Sequence[Subject], versions: tuple[Warm, Warm], rounds: int
) -> dict[str, Pair]:
    pairs = {s.name: Pair(s.name) for s in subjects}
    for number in range(rounds):
        for at, subject in enumerate(subjects):
            where = f"round {number + 1} of {rounds}, {at + 1} of {len(subjects)}"
            print(f"{where}: {subject.name}", file=sys.stderr, flush=True)
            pair = pairs[subject.name]
            both = [*zip(versions, (pair.before, pair.now), pair.compiling, strict=True)]
            # The other version is the very first: it may be too old for anything to be measured.
            for version, times, compiling in both[:: -1 if (number + at) % 2 else 1]:
                for us, ms in _times(version, subject):
                    times.append(us)
                    compiling.append(ms)
    return pairs


def _times(version: Warm, subject: Subject) -> Iterator[tuple[float, float]]:
    """The core's median in microseconds, and its compile time in milliseconds, summed over the
    snippet's programs; nothing where one has none."""
    found = version.measure(Asked(subject.file.read_text(), ("core",), subject.inputs))
    timings = [p.timings["core"] for p in found.programs if "core" in p.timings] if found else []
    if found and timings and len(timings) == len(found.programs):
        yield sum(t.median_us for t in timings), sum(t.compile_ms or 0.0 for t in timings)


def _file(
    args: argparse.Namespace,
    begun: datetime.datetime,
    load: float,
    module: str,
    pairs: Sequence[Pair],
) -> dict[str, Any]:
    ratios = [p.ratio for p in pairs if p.ratio is not None]
    return {
        "suite": args.suite,
        "date": begun.isoformat(timespec="seconds"),
        "before": commit(args.commit),
        "now": commit("HEAD"),
        "rounds": args.rounds,
        "processor": processor(),
        "load_before": load,
        "measured_by": module,
        "before_over_now": geomean(ratios),
        "programs": {
            p.name: {"ratio": p.ratio, "before_us": p.before, "now_us": p.now} for p in pairs
        },
    }


def said(pairs: Sequence[Pair]) -> Iterator[str]:
    """What came of it, in lines: what is faster, what is slower, and all together."""
    known = {p.name: p.ratio for p in pairs if p.ratio is not None}
    for name, ratio in sorted(known.items(), key=lambda each: each[1]):
        if max(ratio, 1 / ratio) >= NAMED:
            yield f"{name}: {ratio:.2f}"
    yield from (f"{p.name}: not measured by both" for p in pairs if p.ratio is None)
    compiled = [p.compiling_ratio for p in pairs if p.compiling_ratio is not None]
    for what, ratios in (("", list(known.values())), ("compiling: ", compiled)):
        mean = geomean(ratios)
        if mean is not None:
            yield f"{what}geometric mean of before / now over {len(ratios)} programs: {mean:.3f}"


if __name__ == "__main__":
    sys.exit(main())
