"""What two reports say of the same things, and where that differs: versions, programs, kernels,
bytes, errors, times and texts. Of the same snippet under two toolchains, targets or options, or of
two snippets under one.

comparison.py writes it as text for the command line; the web service sends it as it is.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec

from compiler_core.report.artifacts import Artifact
from compiler_core.report.columns import relative_error, size
from compiler_core.report.compilers import REFERENCES
from compiler_core.report.graphs import WHOLE
from compiler_core.report.kernels import Kernel
from compiler_core.report.lines import line_changes
from compiler_core.report.overrides import spelled
from compiler_core.report.program import Program, ran
from compiler_core.report.report import Report
from compiler_core.report.results import Numerics, Timing
from compiler_core.report.stages import Stage
from compiler_core.wording import counted

_Item = TypeVar("_Item")


class ComparedLine(msgspec.Struct, frozen=True):
    """One thing as both reports say it, in words; `change` is from the first to the second. What
    was measured in one of them alone does not differ: `change` says in which."""

    what: str
    a: str
    b: str
    differs: bool
    change: str = ""


class StageDifference(msgspec.Struct, frozen=True):
    """A stage that is not the same in both: what it said, which of its texts differ and by how many
    lines; and its places among the stages of its program, None where one has it not."""

    name: str
    words: str
    texts: list[str]
    at: tuple[int | None, int | None]


class ProgramComparison(msgspec.Struct, frozen=True):
    """A program in both reports, or in one; `at` are its places in them. Times are medians in
    microseconds."""

    name: str
    at: tuple[int | None, int | None]
    figures: list[ComparedLine] = []
    times: list[ComparedLine] = []
    stages: list[StageDifference] = []


class Comparison(msgspec.Struct, frozen=True):
    """Two reports beside one another; `about` are snippets, options, devices and versions."""

    about: list[ComparedLine]
    programs: list[ProgramComparison]


def compared(a: Report, b: Report) -> Comparison:
    """Both reports, with or without their texts."""
    about = [ComparedLine(what, one, other, one != other) for what, one, other in _about(a, b)]
    return Comparison(about, [*_programs(a.programs, b.programs)])


def _about(a: Report, b: Report) -> Iterator[tuple[str, str, str]]:
    yield "snippet", a.snippet.sha256[:12], b.snippet.sha256[:12]
    for field in a.options.__struct_fields__:
        yield f"option {field}", _option(a, field), _option(b, field)
    yield "device", a.device.name, b.device.name
    for name in dict.fromkeys([*a.toolchain, *b.toolchain]):
        yield name, a.toolchain.get(name, "none"), b.toolchain.get(name, "none")


def _option(report: Report, name: str) -> str:
    value = getattr(report.options, name)
    if name == "overrides":
        return ", ".join(map(spelled, value)) or "none"
    return (", ".join(map(str, value)) if isinstance(value, tuple) else str(value)) or "none"


def _programs(a: Sequence[Program], b: Sequence[Program]) -> Iterator[ProgramComparison]:
    """Programs are the same where they have the same name, and the same place among those; the
    only one of each report is the other's whatever they are called: its export has another name."""
    if len(a) == len(b) == 1:
        names = dict.fromkeys((a[0].name, b[0].name))
        yield _both(" → ".join(names), (0, 0), a[0], b[0])
        return
    mine, other = (_keyed(enumerate(each), lambda x: x[1].name) for each in (a, b))
    for key in dict.fromkeys([*mine, *other]):
        (i, one), (j, two) = mine.get(key, _NOBODY), other.get(key, _NOBODY)
        if one is None or two is None:
            yield ProgramComparison(key[0], (i, j))
        else:
            yield _both(key[0], (i, j), one, two)


def _both(
    name: str, at: tuple[int | None, int | None], a: Program, b: Program
) -> ProgramComparison:
    return ProgramComparison(name, at, [*_figures(a, b)], [*_times(a, b)], [*_stages(a, b)])


_NOBODY = None, None


def _figures(a: Program, b: Program) -> Iterator[ComparedLine]:
    yield _line("status", a.status, b.status)
    yield _line("failed at", *(p.error.message if p.error else "" for p in (a, b)))
    yield _count("operations", a.summary.ops_captured, b.summary.ops_captured)
    yield _count("after passes", a.summary.ops_final, b.summary.ops_final)
    one, other = ([k for k in p.kernels if ran(k, p)] for p in (a, b))
    launches = _line("launches", _launches(one), _launches(other))
    yield msgspec.structs.replace(launches, change=_times_as_many(len(one), len(other)))
    yield _count("memory traffic", a.summary.bytes_core, b.summary.bytes_core, size)
    yield _count("graph breaks", len(a.graph_breaks), len(b.graph_breaks))
    for name in dict.fromkeys([*a.numerics, *b.numerics]):
        yield _error_line(f"rel error of {name}", a.numerics.get(name), b.numerics.get(name))
    yield from _of_compilers(a, b)


# The figures of a compiler that are compared, and how they are formatted.
_COUNTED: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("kernels", str), ("launches", str), ("bytes", size), ("peak_bytes", size),
)  # fmt: skip


def _of_compilers(a: Program, b: Program) -> Iterator[ComparedLine]:
    """What other compilers than the core made of it, where both reports have the figure."""
    mine, other = ({c.compiler: c for c in p.compilers} for p in (a, b))
    for name in (each.id for each in REFERENCES if each.id in mine and each.id in other):
        for figure, said in _COUNTED:
            one, two = (getattr(found[name], figure).value for found in (mine, other))
            if one is not None and two is not None:
                yield _count(f"{name}: {figure.replace('_', ' ')}", one, two, said)


def _line(what: str, a: str, b: str) -> ComparedLine:
    return ComparedLine(what, a, b, a != b)


def _count(what: str, a: int, b: int, said: Callable[[int], str] = str) -> ComparedLine:
    return ComparedLine(what, said(a), said(b), a != b, _times_as_many(a, b))


def _times_as_many(a: float, b: float) -> str:
    return "" if a == b or not a or not b else f"{b / a:.2f}x"


def _launches(launches: Sequence[Kernel]) -> str:
    """Their number, as everywhere else; where a library has some, what they are."""
    own = sum(not k.library for k in launches)
    calls = len(launches) - own
    of = f": {counted(own, 'kernel')}, {counted(calls, 'library call')}" if calls else ""
    return f"{len(launches)}{of}"


_ALIKE = "same within 2x"
# In place of a figure.
NOT_MEASURED = "not measured"


def _error_line(what: str, a: Numerics | None, b: Numerics | None) -> ComparedLine:
    one, other = _error(a), _error(b)
    if a is None or b is None:
        return ComparedLine(what, one, other, False, _only_in(a))
    differs = not _alike(a, b)
    return ComparedLine(what, one, other, differs, "" if differs or one == other else _ALIKE)


def _only_in(a: object) -> str:
    """Of what one of two has not."""
    return f"only in {'B' if a is None else 'A'}"


def _alike(a: Numerics, b: Numerics) -> bool:
    """Of a few random inputs the largest error is another each time: within a factor of two it is
    the same."""
    if a.ok != b.ok:
        return False
    one, other = a.max_rel_error, b.max_rel_error
    return one == other if one is None or other is None else max(one, other) <= 2 * min(one, other)


def _error(found: Numerics | None) -> str:
    if found is None:
        return NOT_MEASURED
    return relative_error(found.max_rel_error) + ("" if found.ok else " NOT OK")


def _times(a: Program, b: Program) -> Iterator[ComparedLine]:
    for name in dict.fromkeys([*a.timings, *b.timings]):
        yield _time_line(name, a.timings.get(name), b.timings.get(name))


def _time_line(what: str, a: Timing | None, b: Timing | None) -> ComparedLine:
    if a is None or b is None:
        return ComparedLine(what, _time(a), _time(b), False, _only_in(a))
    change = _ratio(a, b)
    return ComparedLine(what, _time(a), _time(b), change != _SAME, change)


def _time(timing: Timing | None) -> str:
    return NOT_MEASURED if timing is None else f"{timing.median_us:.1f}"


_SAME = "same within noise"


def _ratio(a: Timing, b: Timing) -> str:
    """Two reports were not measured in turn: times whose middle halves meet are called equal."""
    if not a.median_us:
        return ""
    if a.p25_us <= b.p75_us and b.p25_us <= a.p75_us:
        return _SAME
    return f"{b.median_us / a.median_us:.2f}x"


def _stages(a: Program, b: Program) -> Iterator[StageDifference]:
    mine, other = (_keyed(filter(_says, enumerate(p.stages)), _stage_name) for p in (a, b))
    for key in dict.fromkeys([*mine, *other]):
        (i, one), (j, two) = mine.get(key, _NOBODY), other.get(key, _NOBODY)
        if one is None or two is None:
            yield StageDifference(key[0], "", [], (i, j))
        else:
            words, texts = _words_of(one, two), [*_texts(one, two)]
            if words or texts:
                yield StageDifference(key[0], words, texts, (i, j))


def _says(at: tuple[int, Stage]) -> bool:
    """What measuring says are the times, which are beside one another already."""
    return at[1].kind != "measure"


def _words_of(a: Stage, b: Stage) -> str:
    words = [each for each in (_words(a), _words(b)) if each]
    return "" if _words(a) == _words(b) else " -> ".join(words)


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
    """Of texts that are kept apart the hashes are compared, and nobody counts lines."""
    apart = a.stored is not None and b.stored is not None and not (a.text or b.text)
    if apart and a.stored != b.stored:
        yield a.name
    elif a.text != b.text:
        added, removed = line_changes(a.text, b.text)
        yield f"{a.name} +{added} -{removed} lines"


def _stage_name(at: tuple[int, Stage]) -> str:
    _, stage = at
    parts = (stage.backend, stage.compiler, stage.graph if stage.graph != WHOLE else "")
    return " ".join([*filter(None, parts), stage.name])


def _keyed(items: Iterable[_Item], name: Callable[[_Item], str]) -> dict[tuple[str, int], _Item]:
    """By name, and by the place among those of the same name."""
    count: Counter[str] = Counter()
    found = {}
    for item in items:
        found[name(item), count[name(item)]] = item
        count[name(item)] += 1
    return found
