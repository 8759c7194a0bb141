"""Which decisions of the compiler measurement contradicts: `python -m bench.decisions
[--suite families] [--only medium-f32] [--json PATH [--resume]]`.

What a program's plan decided by a cost is decided otherwise, one decision at a time
(docs/what-if.md): two operations of one kernel are kept apart, two that the model kept apart share
one, another schedule that the model found not much dearer is taken. What is then faster is measured
again in turns with the plan as it was; what is faster both times is a decision that was wrong here.
The file is written anew after each program; `--resume` measures the others.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bench.options import add_suite, subjects_of
from bench.subjects import Subject
from bench.warm import Asked, Warm
from compiler_core import report

# A program whose time is less by that share is faster; runs of one program differ by less.
FASTER = 0.95
# Alternatives that the model finds dearer than so many times are not measured.
_DEARER = 3.0
# Of each kernel's edges those over which most bytes go, and of its candidates the cheapest.
_EDGES, _CANDIDATES = 2, 2
# How a refusal begins to say what it costs (fuse/reasons.py).
_BY_COST = "us more against"


@dataclass(frozen=True)
class Decision:
    """`what` was decided, and the override that decides it otherwise."""

    what: str
    otherwise: report.Override


@dataclass(frozen=True)
class Judged:
    """Microseconds of a call as the compiler decided and otherwise, each time that both were
    measured; `predicted` is what the model said that the alternative costs over what was chosen,
    1 where it does not say."""

    program: str
    what: str
    times: tuple[tuple[float, float], ...]

    @property
    def contradicted(self) -> bool:
        """Whether the alternative was faster each time."""
        return len(self.times) > 1 and all(b < a * FASTER for a, b in self.times)

    @property
    def ratio(self) -> float:
        """The time as decided over that otherwise, the least of all: more than 1 where the decision
        was wrong."""
        return min(a / b for a, b in self.times)


@dataclass
class Done:
    """What was measured so far, and of which programs."""

    programs: list[str] = field(default_factory=list)
    judged: list[Judged] = field(default_factory=list)
    device: dict[str, Any] = field(default_factory=dict)


def main() -> int | str:
    args = _arguments()
    done = _before(args.json) if args.resume else Done()
    subjects, warm = [s for s in subjects_of(args) if s.name not in done.programs], Warm()
    for at, subject in enumerate(subjects):
        print(f"{at + 1} of {len(subjects)}: {subject.name}", file=sys.stderr, flush=True)
        _measure(warm, subject, done)
        if args.json:
            text = json.dumps(as_json(done, args.suite, args.only), indent=1)
            args.json.write_text(text + "\n")
    warm.close()
    if not done.judged:
        return f"no decision of the suite {args.suite} with {args.only!r} in its name was measured"
    print("\n".join(said(done.judged)))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.decisions", description=__doc__)
    add_suite(parser, "families")
    parser.add_argument("--json", type=Path, help="where to write every decision")
    parser.add_argument("--resume", action="store_true", help="keep what is written there already")
    args = parser.parse_args()
    if args.resume and not args.json:
        parser.error("--resume goes on with the file that --json names")
    return args


def _before(path: Path) -> Done:
    return read(json.loads(path.read_text())) if path.exists() else Done()


def read(recorded: dict[str, Any]) -> Done:
    """What a file has."""
    every = [
        Judged(d["program"], d["what"], tuple((a, b) for a, b in d["times"]))
        for d in recorded["decisions"]
    ]
    return Done(recorded["programs"], every, recorded["device"])


def _measure(warm: Warm, subject: Subject, done: Done) -> None:
    whole = warm.measure(_asked(subject))
    if whole is not None and _us(whole) is not None:
        done.device = {"name": whole.device.name, "threads": whole.device.threads}
        done.judged += _judge(warm, subject, whole)
    done.programs.append(subject.name)


def _asked(subject: Subject, *overrides: report.Override) -> Asked:
    source = subject.file.read_text()
    return Asked(source, ("core",), subject.inputs, overrides=overrides)


def _us(found: report.Report | None) -> float | None:
    """The core's median, over all programs; None where one has none, or an override was refused."""
    programs = found.programs if found else []
    if any(o.state == "refused" for p in programs for o in p.overrides):
        return None
    timings = [p.timings.get("core") for p in programs]
    return sum(t.median_us for t in timings if t) if timings and all(timings) else None


def _judge(warm: Warm, subject: Subject, whole: report.Report) -> Iterator[Judged]:
    as_decided = _us(whole)
    assert as_decided is not None
    for decision in decisions(whole):
        other = _us(warm.measure(_asked(subject, decision.otherwise)))
        if other is None:
            continue
        times = [(as_decided, other)]
        if other < as_decided * FASTER:
            times += _again(warm, subject, decision)
        yield Judged(subject.name, decision.what, tuple(times))


def _again(warm: Warm, subject: Subject, decision: Decision) -> Iterator[tuple[float, float]]:
    """Both once more, one right after the other."""
    whole = _us(warm.measure(_asked(subject)))
    other = _us(warm.measure(_asked(subject, decision.otherwise)))
    if whole is not None and other is not None:
        yield whole, other


def decisions(found: report.Report) -> Iterator[Decision]:
    """What the plans that ran decided by a cost."""
    for number, program in enumerate(found.programs):
        own = [k for k in program.kernels if report.ran(k, program)]
        yield from _fused(program, own, number)
        yield from _refused(program, number)
        for kernel in own:
            yield from _scheduled(kernel, number)


def _fused(
    program: report.Program, own: Sequence[report.Kernel], number: int
) -> Iterator[Decision]:
    """The captured operations of one kernel, of which one reads what the other computes."""
    for kernel in own:
        inside = set(kernel.nodes)
        edges = [
            (read.bytes, read.node, node.id)
            for node in program.nodes if node.id in inside
            for read in node.reads if read.node in inside and read.node != node.id
        ]  # fmt: skip
        named = {node.id: node.op for node in program.nodes}
        for _, a, b in sorted(edges, reverse=True)[:_EDGES]:
            what = f"{kernel.id} computes {named[a]} and {named[b]}"
            yield Decision(what, report.ForbiddenEdge(str(a), str(b), number))


def _refused(program: report.Program, number: int) -> Iterator[Decision]:
    for refusal in program.fusion_refusals:
        values = (refusal.from_value, refusal.to_value)
        if _BY_COST in refusal.reason and None not in values and report.ran(refusal, program):
            what = f"{refusal.from_} and {refusal.to} are apart: {refusal.reason}"
            edge = report.ForcedEdge(f"%{values[0]}", f"%{values[1]}", number)
            yield Decision(what, edge)


def _scheduled(kernel: report.Kernel, number: int) -> Iterator[Decision]:
    """The other ways to run a kernel; those of launches chosen together once."""
    if kernel.chosen_with and kernel.chosen_with[0] != kernel.id:
        return
    chosen = next((c for c in kernel.candidates if c.chosen), None)
    if chosen is None or not chosen.cost_us:
        return
    most = chosen.cost_us * _DEARER
    others = [c for c in kernel.candidates if c.cost_us and not c.chosen and c.cost_us <= most]
    for other in sorted(others, key=lambda c: c.cost_us or 0.0)[:_CANDIDATES]:
        costs = f"{chosen.cost_us:.1f} us predicted, {other.cost_us:.1f} as {other.name}"
        what = f"{kernel.id} is run as {chosen.name}: {costs} ({other.reason})"
        yield Decision(what, report.WantedSchedule(kernel.id, other.name, program=number))


def said(judged: Sequence[Judged]) -> Iterator[str]:
    """Those that were contradicted, the worst first."""
    wrong = sorted((j for j in judged if j.contradicted), key=lambda j: -j.ratio)
    yield f"{len(judged)} decisions measured otherwise, {len(wrong)} of them contradicted"
    yield from (f"  {j.program}: {j.what}; otherwise {j.ratio:.2f} times as fast" for j in wrong)


def as_json(done: Done, suite: str, only: str) -> dict[str, Any]:
    """What a file of it has."""
    own = [asdict(j) | {"contradicted": j.contradicted, "ratio": j.ratio} for j in done.judged]
    about = {"suite": suite, "only": only, "device": done.device}
    return {**about, "programs": done.programs, "decisions": own}


if __name__ == "__main__":
    sys.exit(main())
