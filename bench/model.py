"""Whether the cost model says what is measured: `python -m bench.model [--suite families]
[--only medium-f32] [--json PATH]`.

Each program's launches write down when they begin and end; their times stand beside the cost by
which the schedule was chosen, and beside the least time that the machine allows. Launches that one
choice made are one: their cost is that of all of them together. The exit code is 1 where the rank
correlation of all is below 0.9.
"""

import argparse
import json
import math
import statistics
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.options import add_suite, subjects_of
from bench.pieces import commit, now
from bench.warm import Asked, Warm
from compiler_core import report

ENOUGH = 0.9
_WORST = 12


@dataclass(frozen=True)
class Prediction:
    """One choice of a schedule; microseconds. `floor_us` is 0 where the roof was not measured."""

    program: str
    family: str
    kernel: str
    strategy: str
    predicted_us: float
    measured_us: float
    floor_us: float

    @property
    def ratio(self) -> float:
        """How many times longer than predicted."""
        return self.measured_us / self.predicted_us


@dataclass(frozen=True)
class Strategy:
    """The choices of one strategy: quartiles of measured over predicted, the share of the floor
    that they reach (None where none is known), and their own rank correlation (None below 3)."""

    name: str
    choices: int
    low: float
    middle: float
    high: float
    of_floor: float | None
    correlation: float | None


def main() -> int | str:
    args = _arguments()
    subjects, warm, predictions, last = (
        subjects_of(args),
        Warm(),
        list[Prediction](),
        report.Report(),
    )
    for at, subject in enumerate(subjects):
        print(f"{at + 1} of {len(subjects)}: {subject.name}", file=sys.stderr, flush=True)
        asked = Asked(subject.file.read_text(), ("core",), subject.inputs, timeline=True)
        if (found := warm.measure(asked)) is not None:
            predictions += of_report(found, subject.name, subject.family)
            last = found
    warm.close()
    if not predictions:
        return f"no launch of the suite {args.suite} with {args.only!r} in its name was timed"
    together = correlation(predictions)
    print("\n".join(table(predictions)))
    if args.json:
        args.json.write_text(json.dumps(_file(args, last, predictions), indent=1) + "\n")
    return 0 if together is not None and together >= ENOUGH else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.model", description=__doc__)
    add_suite(parser, "families")
    parser.add_argument("--json", type=Path, help="where to write every choice")
    return parser.parse_args()


def of_report(found: report.Report, name: str, family: str = "") -> Iterator[Prediction]:
    """The choices of a report's programs whose launches were timed and have a cost."""
    for program in found.programs:
        times = _times(program)
        own = [k for k in program.kernels if k.backend in ("", program.backend)]
        for chosen in _choices(own):
            cost = _cost_us(chosen[0])
            spent = [times[key] for k in chosen if (key := (k.graph, k.id)) in times]
            if cost and len(spent) == len(chosen):
                floor = sum(_floor_us(k, program.measurement) for k in chosen)
                yield Prediction(
                    name, family, chosen[0].id, _strategy(chosen[0]), cost, sum(spent), floor
                )


def _times(program: report.Program) -> dict[tuple[str, str], float]:
    """The microseconds of a run of each launch, by graph and name; of one that runs more than once
    in a call the mean."""
    lane = next((t for t in program.timelines if t.compiler == "core"), None)
    found: dict[tuple[str, str], list[float]] = {}
    for event in lane.events if lane else ():
        if event.kernel:
            found.setdefault((event.graph, event.kernel), []).append(event.duration_us)
    return {key: statistics.fmean(each) for key, each in found.items()}


def _choices(kernels: Sequence[report.Kernel]) -> list[list[report.Kernel]]:
    """The launches, those of one choice together."""
    by_name = {(k.graph, k.id): k for k in kernels}
    firsts = [k for k in kernels if not k.chosen_with or k.chosen_with[0] == k.id]
    return [[by_name[k.graph, name] for name in k.chosen_with or [k.id]] for k in firsts]


def _cost_us(kernel: report.Kernel) -> float | None:
    return next((c.cost_us for c in kernel.candidates if c.chosen), None)


def _strategy(kernel: report.Kernel) -> str:
    return kernel.schedule.strategy if kernel.schedule else ""


def _floor_us(kernel: report.Kernel, measured: report.Measurement | None) -> float:
    """What it moves at the bandwidth measured, or computes at the peak: the longer."""
    if measured is None or not measured.bandwidth or not measured.flops:
        return 0.0
    moving = (kernel.bytes_read + kernel.bytes_written) / measured.bandwidth
    return max(moving, kernel.flops / measured.flops) * 1e6


def correlation(predictions: Sequence[Prediction]) -> float | None:
    """Spearman's rank correlation of predicted and measured times; None of fewer than three, or
    where all are alike."""
    predicted, measured = (
        [h.predicted_us for h in predictions],
        [h.measured_us for h in predictions],
    )
    if len(predictions) < 3 or len(set(predicted)) == 1 or len(set(measured)) == 1:
        return None
    # Late: it takes longer to import than most tests take, and all that collect them import this.
    from scipy.stats import spearmanr

    return float(spearmanr(predicted, measured).statistic)


def strategies(predictions: Iterable[Prediction]) -> list[Strategy]:
    """What each strategy's choices say together, the most frequent first."""
    ordered = sorted(predictions, key=lambda h: h.strategy)
    found = [_together(n, list(own)) for n, own in groupby(ordered, key=lambda h: h.strategy)]
    return sorted(found, key=lambda s: -s.choices)


def _together(name: str, own: Sequence[Prediction]) -> Strategy:
    ratios = [h.ratio for h in own]
    # Those of what was measured, of which there may be two: none of them is a guess beyond these.
    several = ratios if len(ratios) > 1 else ratios * 2
    low, middle, high = statistics.quantiles(several, n=4, method="inclusive")
    shares = [h.floor_us / h.measured_us for h in own if h.floor_us]
    reached = statistics.median(shares) if shares else None
    return Strategy(name, len(own), low, middle, high, reached, correlation(own))


def table(predictions: Sequence[Prediction]) -> Iterator[str]:
    """What is printed: all, each strategy, and the choices that were predicted worst."""
    yield f"{len(predictions)} choices, rank correlation {_number(correlation(predictions))}"
    yield f"{'strategy':34} choices  measured / predicted   of floor  correlation"
    for s in strategies(predictions):
        quartiles = f"{s.low:.2f} {s.middle:.2f} {s.high:.2f}"
        yield (
            f"{s.name[:33]:34} {s.choices:7}  {quartiles:21} {_number(s.of_floor):>9}"
            f" {_number(s.correlation):>12}"
        )
    yield "predicted worst:"
    for h in sorted(predictions, key=lambda h: -abs(math.log(h.ratio)))[:_WORST]:
        yield (
            f"  {h.program} {h.kernel}, {h.strategy}: {h.predicted_us:.1f} us predicted,"
            f" {h.measured_us:.1f} measured, {h.floor_us:.1f} at least"
        )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _file(
    args: argparse.Namespace, last: report.Report, predictions: Sequence[Prediction]
) -> dict[str, Any]:
    device = last.device
    return {
        "suite": args.suite,
        "only": args.only,
        "date": now(),
        "core": commit("HEAD"),
        "device": {"kind": device.kind, "name": device.name, "threads": device.threads},
        "toolchain": last.toolchain,
        "correlation": correlation(predictions),
        "strategies": [asdict(each) for each in strategies(predictions)],
        "choices": [asdict(each) for each in predictions],
    }


if __name__ == "__main__":
    sys.exit(main())
