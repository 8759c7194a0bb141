"""Compares two reports as text: versions, programs, kernels, bytes, errors, times and texts. They
may be of one snippet under two toolchains, or of two snippets."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from compiler_core.report.artifacts import Artifact
from compiler_core.report.columns import error, size, table
from compiler_core.report.graphs import WHOLE
from compiler_core.report.kernels import Kernel
from compiler_core.report.lines import line_changes
from compiler_core.report.program import Program
from compiler_core.report.report import Report
from compiler_core.report.results import Numerics, Timing
from compiler_core.report.stages import Stage

_Item = TypeVar("_Item")
# The most stages of one program that are shown.
_MOST = 60


class _Named(NamedTuple):
    """A report with the name that the text gives it."""

    name: str
    report: Report


def comparison(first: Report, second: Report, names: tuple[str, str] = ("A", "B")) -> str:
    """The differences of two reports, in columns under their names; one line for each program in
    which only times differ."""
    a, b = (_Named(*each) for each in zip(names, (first, second), strict=True))
    return "\n".join([*_heads(a, b), *_programs(a, b)])


def _heads(a: _Named, b: _Named) -> Iterator[str]:
    rows = [[what, *pair] for what, *pair in _facts(a.report, b.report) if pair[0] != pair[1]]
    yield from table(["", a.name, b.name], rows or [["the same versions and options", "", ""]])


def _facts(a: Report, b: Report) -> Iterator[tuple[str, str, str]]:
    yield "snippet", a.snippet.sha256[:12], b.snippet.sha256[:12]
    for field in a.options.__struct_fields__:
        yield f"option {field}", _option(a, field), _option(b, field)
    yield "device", a.device.name, b.device.name
    for name in dict.fromkeys([*a.toolchain, *b.toolchain]):
        yield name, a.toolchain.get(name, "none"), b.toolchain.get(name, "none")


def _option(report: Report, name: str) -> str:
    value = getattr(report.options, name)
    return ", ".join(value) if isinstance(value, tuple) else str(value) or "none"


def _programs(a: _Named, b: _Named) -> Iterator[str]:
    """Programs are matched by name, and by their place among those of the same name."""
    mine, other = (_keyed(each.report.programs, lambda p: p.name) for each in (a, b))
    for key in dict.fromkeys([*mine, *other]):
        yield ""
        if key in mine and key in other:
            yield from _program(mine[key], other[key], (a.name, b.name))
        else:
            yield f"{key[0]}: only in {a.name if key in mine else b.name}"


def _program(a: Program, b: Program, names: tuple[str, str]) -> Iterator[str]:
    yield a.name
    counts = [row for row in _counts(a, b) if row[1] != row[2]]
    yield from table(["", *names], counts)
    yield from _times(a, b, names)
    stages = [*_stages(a, b, names)]
    yield from table(["differs", "", ""], stages[:_MOST])
    if len(stages) > _MOST:
        yield f"  {len(stages) - _MOST} more stages differ"
    if not counts and not stages:
        yield "  the same kernels, bytes, errors and texts"


def _counts(a: Program, b: Program) -> Iterator[list[str]]:
    yield ["status", a.status, b.status]
    yield ["failed at", *(p.error.message if p.error else "" for p in (a, b))]
    yield ["operations", *(str(p.summary.ops_captured) for p in (a, b))]
    yield ["after passes", *(str(p.summary.ops_final) for p in (a, b))]
    yield ["kernels", *(_kernels(_ran(p)) for p in (a, b))]
    yield ["memory traffic", *(size(p.summary.bytes_core) for p in (a, b))]
    yield ["graph breaks", *(str(len(p.graph_breaks)) for p in (a, b))]
    for name in dict.fromkeys([*a.numerics, *b.numerics]):
        one, other = (p.numerics.get(name) for p in (a, b))
        if not _alike(one, other):
            yield [f"rel error of {name}", _error(one), _error(other)]


def _ran(program: Program) -> list[Kernel]:
    """The launches of the plan that ran."""
    return [k for k in program.kernels if k.backend in ("", program.backend)]


def _kernels(launches: Sequence[Kernel]) -> str:
    own = sum(not k.library for k in launches)
    calls = len(launches) - own
    return f"{own}" + (f" and {calls} library calls" if calls else "")


def _alike(a: Numerics | None, b: Numerics | None) -> bool:
    """Whether two errors are alike: with random inputs the largest error differs from run to run,
    so those within a factor of two are."""
    if a is None or b is None or a.ok != b.ok:
        return a is b
    one, other = a.max_rel_error, b.max_rel_error
    return one == other if one is None or other is None else max(one, other) <= 2 * min(one, other)


def _error(found: Numerics | None) -> str:
    if found is None:
        return "none"
    return error(found.max_rel_error) + ("" if found.ok else " NOT OK")


def _times(a: Program, b: Program, names: tuple[str, str]) -> Iterator[str]:
    rows = [
        [name, _time(a.timings.get(name)), _time(b.timings.get(name)),
         _ratio(a.timings.get(name), b.timings.get(name))]
        for name in dict.fromkeys([*a.timings, *b.timings])
    ]  # fmt: skip
    yield from table(["median us", *names, ""], rows)


def _time(timing: Timing | None) -> str:
    return "none" if timing is None else f"{timing.median_us:.1f}"


def _ratio(a: Timing | None, b: Timing | None) -> str:
    """The ratio of two medians. The reports were not measured interleaved: if the quartile ranges
    overlap, the times are called equal."""
    if a is None or b is None or not a.median_us:
        return ""
    if a.p25_us <= b.p75_us and b.p25_us <= a.p75_us:
        return "same within noise"
    return f"{b.median_us / a.median_us:.2f}x"


def _stages(a: Program, b: Program, names: tuple[str, str]) -> Iterator[list[str]]:
    mine, other = (_keyed(filter(_is_compared, p.stages), _stage_name) for p in (a, b))
    for key in dict.fromkeys([*mine, *other]):
        if key not in mine or key not in other:
            yield [key[0], f"only in {names[key in other]}", ""]
        elif difference := _stage(mine[key], other[key]):
            yield [key[0], *difference]


def _is_compared(stage: Stage) -> bool:
    """Stages of measuring are left out: they state the times, which have a table."""
    return stage.kind != "measure"


def _stage(a: Stage, b: Stage) -> list[str]:
    """Two cells: how the summaries and the texts of two stages differ; none if they are equal."""
    texts = [*_texts(a, b)]
    words = [each for each in (_words(a), _words(b)) if each]
    if _words(a) == _words(b):
        return ["", ", ".join(texts)] if texts else []
    return [" -> ".join(words), ", ".join(texts)]


def _words(stage: Stage) -> str:
    return stage.summary if stage.status == "ok" else f"{stage.status}: {stage.summary}"


def _texts(a: Stage, b: Stage) -> Iterator[str]:
    mine, other = (_keyed(s.artifacts, lambda t: t.name) for s in (a, b))
    for key in dict.fromkeys([*mine, *other]):
        if key in mine and key in other:
            yield from _text(mine[key], other[key])
        else:
            yield f"{key[0]} {'-' if key in mine else '+'}"


def _text(a: Artifact, b: Artifact) -> Iterator[str]:
    if a.text != b.text:
        added, removed = line_changes(a.text, b.text)
        yield f"{a.name} +{added} -{removed} lines"


def _stage_name(stage: Stage) -> str:
    parts = (stage.backend, stage.compiler, stage.graph if stage.graph != WHOLE else "")
    return " ".join([*filter(None, parts), stage.name])


def _keyed(items: Iterable[_Item], name: Callable[[_Item], str]) -> dict[tuple[str, int], _Item]:
    """The items by name and place among those of the same name."""
    count: Counter[str] = Counter()
    found = {}
    for item in items:
        found[name(item), count[name(item)]] = item
        count[name(item)] += 1
    return found
