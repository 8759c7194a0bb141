"""Writes docs/performance.md from a recorded run of the families, and from what bench.model and
bench.decisions wrote: `python -m bench.page FILE [--sixteen FILE] [--models FILE ...]
[--model FILE] [--decisions FILE] [--gpu FILE]`. Of several files of models a later one's programs
take the place of an earlier one's."""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from bench.page_gpu import of_gpu
from bench.page_model import of_decisions, of_model
from bench.pieces import period
from bench.record import NAMES, CoreCounts, Row, from_json, geomean
from bench.suites import ROOT

PAGE = ROOT / "docs" / "performance.md"
BEHIND = 0.9
# All but the core, with which they are compared.
_OTHERS = tuple(name for name in NAMES if name != "core")
UNPROVEN = (
    "times of the suite on a GPU, against eager, TorchInductor and XLA: its programs have been"
    " checked there, and not timed",
    "the microseconds of a launch in order, and of a call since buffers' shapes are read once and"
    " allocated by torch's quick function",
    "samples of queued calls, the device's own clock beside them, the floor by its events",
    "a worker that forks on a machine with a GPU",
    "CUDA graphs and autotuning of the core's own, of which there are none",
    "products of f32 in TF32, as JAX and torch's convolutions have them: the core's are in f32",
    "GPUs other than an H200: for `sm_80`, `sm_86`, `sm_89`, `sm_100`, `sm_120` and `gfx942` plans"
    " follow data sheets and kernels are compiled, and none has run",
    "tensor memory accelerator descriptors and warp specialisation, of which no template has any",
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.page", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", type=Path, help="what bench.model wrote")
    parser.add_argument("--decisions", type=Path, help="what bench.decisions wrote")
    parser.add_argument("--gpu", type=Path, help="a record of what was right on a GPU")
    parser.add_argument("--sixteen", type=Path, help="a run of the families in bf16")
    parser.add_argument("--models", type=Path, nargs="+", default=[], help="of the whole models")
    args = parser.parse_args()
    others = (args.model, args.decisions, args.gpu, args.sixteen)
    model, decisions, gpu, sixteen = map(_read, others)
    models = [_read(file) for file in args.models]
    lines = page(_read(args.file), model, decisions, gpu, sixteen, models)
    PAGE.write_text("\n".join(lines) + "\n")


def _read(file: Path | None) -> Any:
    return json.loads(file.read_text()) if file else None


def page(
    recorded: dict[str, Any],
    model: dict[str, Any] | None = None,
    decisions: dict[str, Any] | None = None,
    gpu: dict[str, Any] | None = None,
    sixteen: dict[str, Any] | None = None,
    models: Sequence[dict[str, Any]] = (),
) -> Iterator[str]:
    """The page's lines; without a section of what is not given."""
    rows = _rows(recorded)
    sections: dict[str, Iterable[str]] = {
        "By family": _families(rows),
        f"Behind: below {BEHIND} of the best of eager, TorchInductor and XLA": _slower(rows),
        "Every program": _programs(rows),
        "In bf16": _in_short([sixteen], _programs) if sixteen else (),
        "Whole models": _in_short(models, _models) if models else (),
        "The cost model": of_model(model) if model else (),
        "Decisions that measurement contradicts": of_decisions(decisions) if decisions else (),
        "On a GPU": of_gpu(gpu) if gpu else (),
    }
    yield "# Performance: what was measured"
    yield ""
    yield "`python -m bench.page` wrote this from a run of `make bench SUITE=families`."
    yield ""
    yield from _machine(recorded)
    yield ""
    yield from _all(rows)
    yield ""
    for title, lines in sections.items():
        if own := list(lines):
            yield from (f"## {title}", "", *own, "")
    yield "## Not proven"
    yield ""
    yield "For want of a GPU, or of more time on one, nobody has measured:"
    yield ""
    yield from (f"- {each};" for each in UNPROVEN[:-1])
    yield f"- {UNPROVEN[-1]}."


def _in_short(
    records: Sequence[dict[str, Any]], each: Callable[[Sequence[Row]], Iterable[str]]
) -> Iterator[str]:
    """The same of other runs, whose programs `each` lists; a later run's in place of an earlier
    one's."""
    latest = {row.label: (row, recorded) for recorded in records for row in _rows(recorded)}
    rows = [row for row, _ in latest.values()]
    for recorded in records:
        own = [row for row, of in latest.values() if of is recorded]
        if own and len(records) > 1:
            yield f"{len(own)} of {len(rows)} programs:"
        if own:
            yield from (*_machine(recorded), "")
    for lines in (_all(rows), _slower(rows), each(rows)):
        yield from lines
        yield ""


def _rows(recorded: dict[str, Any]) -> list[Row]:
    return from_json(recorded["programs"])


def _columns(rows: Sequence[Row]) -> list[str]:
    """The others that were measured."""
    return [name for name in _OTHERS if any(name in row.times for row in rows)]


def _machine(recorded: dict[str, Any]) -> Iterator[str]:
    device, versions = recorded["device"], recorded["toolchain"]
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    # Two generations have one name: the maker, family, model and stepping tell them apart.
    exactly = f" ({recorded['processor']})" if "processor" in recorded else ""
    machine = f"{device['name']}{exactly}, {device['threads']} threads"
    yield f"{period(recorded)}, {machine}; {named}."
    yield f"Rounds: {recorded['rounds']}. A process is {recorded['process']}."


def best(row: Row) -> float | None:
    """The best of all others over the core: more than 1 is ahead of every one."""
    others = [us for name in _OTHERS if (us := row.us(name)) is not None]
    core = row.us("core")
    return min(others) / core if others and core else None


def over(row: Row, name: str) -> float | None:
    """One other's time over the core's."""
    us, core = row.us(name), row.us("core")
    return us / core if us and core else None


def _all(rows: Sequence[Row]) -> Iterator[str]:
    yield "Geometric means of another's time over the core's; more than 1 is ahead."
    yield ""
    yield "| over | programs | mean |"
    yield "| --- | --- | --- |"
    for name in _columns(rows):
        ratios = _known(over(row, name) for row in rows)
        yield f"| {name} | {len(ratios)} | {_number(geomean(ratios))} |"
    leads = _known(map(best, rows))
    yield f"| the best of these for each program | {len(leads)} | {_number(geomean(leads))} |"
    few = sum(lead < BEHIND for lead in leads)
    yield ""
    yield f"{few} of {len(leads)} are below {BEHIND} of the best."


def _families(rows: Sequence[Row]) -> Iterator[str]:
    names = _columns(rows)
    yield f"| family | programs | {' | '.join(names)} | best |"
    yield "| --- " * (len(names) + 3) + "|"
    ordered = sorted(rows, key=lambda row: row.family)
    for family, each in groupby(ordered, key=lambda row: row.family):
        own = list(each)
        means = [geomean(_known(over(row, name) for row in own)) for name in names]
        means.append(geomean(_known(map(best, own))))
        cells = " | ".join(map(_number, means))
        yield f"| {family.replace('_', ' ')} | {len(own)} | {cells} |"


def _slower(rows: Sequence[Row]) -> Iterator[str]:
    found = [(lead, row) for row in rows if (lead := best(row)) is not None and lead < BEHIND]
    if not found:
        yield "None."
        return
    yield "| program | of the best | core us | best us | by |"
    yield "| --- | --- | --- | --- | --- |"
    for lead, row in sorted(found, key=lambda each: each[0]):
        times = {name: us for name in _OTHERS if (us := row.us(name)) is not None}
        by = min(times, key=times.__getitem__)
        cells = f"{_number(row.us('core'))} | {_number(times[by])} | {by}"
        yield f"| {row.label} | {_number(lead)} | {cells} |"


def _programs(rows: Sequence[Row]) -> Iterator[str]:
    yield "Microseconds of a call, the median; what is not right or was refused is said."
    yield ""
    names = [*_columns(rows), "core"]
    yield f"| program | {' | '.join(names)} | best / core | numbers |"
    yield "| --- " * (len(names) + 3) + "|"
    for row in sorted(rows, key=lambda row: (row.family, row.label)):
        times = [_number(row.us(name)) for name in names]
        yield f"| {row.label} | {' | '.join(times)} | {_number(best(row))} | {row.verdict} |"


def _models(rows: Sequence[Row]) -> Iterator[str]:
    """Whole models: their times, and what the core made of each."""
    yield from _programs(rows)
    yield ""
    yield "What the core made of each; `native` is the share of operations in generated kernels."
    yield ""
    yield "| program | graphs | breaks | kernels | native | library calls | of the framework |"
    yield "| --- " * 7 + "|"
    for row in sorted(rows, key=lambda row: row.label):
        if row.made:
            yield f"| {row.label} | {' | '.join(_core_counts(row.made))} |"


def _core_counts(counts: CoreCounts) -> Iterator[str]:
    yield from map(str, (counts.graphs, counts.breaks, counts.kernels))
    every = counts.native_ops + counts.library_ops
    yield f"{counts.native_ops / every:.0%}" if every else ""
    yield ", ".join(f"{name} {count}" for name, count in counts.library.items())
    yield str(counts.outside)


def _known(values: Any) -> list[float]:
    return [value for value in values if value is not None]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


if __name__ == "__main__":
    main()
