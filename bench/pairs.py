"""Whether intervals mean what they say: `python -m bench.pairs [FILE] [--pairs 100] [--pause S]
[--compilers core,xla] [--json PATH]`.

One snippet's programs are measured again and again against eager, each time in a process of its own
that was forked from a warm one, as the worker does. An interval of 95 % should hold the median of
all these ratios nearly always: the exit code is 1 where fewer than 93 in 100 of a compiler's do.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.options import compilers_named
from bench.warm import ROOT, Asked, Warm
from compiler_core import report

ENOUGH = 0.93
_USUAL = ROOT / "webapp" / "examples" / "snippets" / "01-bias-gelu.py"


@dataclass(frozen=True)
class Interval:
    """A ratio of medians, eager over the compiler, and the interval that was reported with it."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Coverage:
    """Of one program and compiler: `holds` is how many of the intervals hold `pooled`, the median
    of all ratios. `between` is the standard deviation of the ratios' logarithms, `implied` the
    one that the intervals imply, as their median."""

    program: str
    compiler: str
    pairs: int
    holds: int
    pooled: float
    between: float
    implied: float

    @property
    def enough(self) -> bool:
        return self.holds >= ENOUGH * self.pairs

    def __str__(self) -> str:
        return (
            f"{self.program} {self.compiler}: {self.holds} of {self.pairs} intervals hold the "
            f"median of all, {self.pooled:.3f}; ratios differ by {self.between:.1%}, intervals say "
            f"{self.implied:.1%}"
        )


def main() -> int | str:
    args = _arguments()
    asked = Asked(args.file.read_text(), tuple(args.compilers))
    warm, found = Warm(), list[report.Report]()
    for number in range(args.pairs):
        one = warm.measure(asked)
        if one is None:
            return f"measurement {number + 1} ended without a report"
        found.append(one)
        print(f"{number + 1} of {args.pairs}: {_speedups(found[-1])}", file=sys.stderr, flush=True)
        time.sleep(args.pause)
    covered = coverage(found)
    print("\n".join(map(str, covered)))
    if args.json:
        args.json.write_text(json.dumps(_file(args, found, covered), indent=1) + "\n")
    return 0 if all(each.enough for each in covered) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.pairs", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=_USUAL)
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between two of them")
    parser.add_argument("--compilers", type=compilers_named, default="core,xla")
    parser.add_argument("--json", type=Path, help="where to write all intervals")
    args = parser.parse_args()
    if args.pairs < 2:
        parser.error("--pairs is 2 or more")
    return args


def coverage(reports: Sequence[report.Report]) -> list[Coverage]:
    """What the intervals of all measurements say together."""
    found: dict[tuple[str, str], list[Interval]] = {}
    for each in reports:
        for key, interval in _intervals(each):
            found.setdefault(key, []).append(interval)
    return [_covered(program, name, each) for (program, name), each in found.items()]


def _intervals(each: report.Report) -> list[tuple[tuple[str, str], Interval]]:
    return [
        ((program.name, name), Interval(t.speedup, t.speedup_low, t.speedup_high))
        for program in each.programs
        for name, t in program.timings.items()
        if t.speedup is not None and t.speedup_low is not None and t.speedup_high is not None
    ]


def _covered(program: str, compiler: str, found: Sequence[Interval]) -> Coverage:
    pooled = statistics.median(i.value for i in found)
    widths = [math.log(i.high / i.low) / (2 * 1.96) for i in found]
    return Coverage(
        program,
        compiler,
        pairs=len(found),
        holds=sum(i.low <= pooled <= i.high for i in found),
        pooled=pooled,
        between=statistics.pstdev(math.log(i.value) for i in found),
        implied=statistics.median(widths),
    )


def _speedups(each: report.Report) -> str:
    parts = [f"{n} {i.value:.3f} [{i.low:.3f}, {i.high:.3f}]" for (_, n), i in _intervals(each)]
    return ", ".join(parts) + (", busy" if _is_busy(each) else "")


def _is_busy(each: report.Report) -> bool:
    return any(p.measurement is not None and p.measurement.busy for p in each.programs)


def _file(
    args: argparse.Namespace, found: Sequence[report.Report], covered: Sequence[Coverage]
) -> dict[str, Any]:
    device = found[-1].device
    return {
        "snippet": args.file.stem,
        "device": {"kind": device.kind, "name": device.name, "threads": device.threads},
        "toolchain": found[-1].toolchain,
        "pause_s": args.pause,
        "busy": sum(map(_is_busy, found)),
        "coverage": [asdict(each) | {"enough": each.enough} for each in covered],
        "intervals": [
            {f"{program} {name}": asdict(i) for (program, name), i in _intervals(each)}
            for each in found
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
