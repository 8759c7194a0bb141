"""The guards of one compilation: a table, and those that the next call is likely to fail."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType

from msgspec import structs

from compiler_core import report
from compiler_core.reference.dynamo.breaks import DYNAMO
from compiler_core.reference.dynamo.conditions import ORDER, Condition
from compiler_core.reference.dynamo.conditions import conditions as conditions_of
from compiler_core.reference.dynamo.frames import name_of
from compiler_core.reference.dynamo.guarded import Guarded
from compiler_core.reference.dynamo.heard import Frame
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Column, Finding, Row, Table
from compiler_core.wording import counted

_COLUMNS = [
    Column("condition", about="What has to hold for this compilation to serve a call."),
    Column("kind"),
    Column("value", about="What it was when this was compiled."),
]
_ABOUT = "Where one does not hold, the function is compiled again"


def conditions(
    guards: Sequence[tuple[str, Sequence[str]]], code: CodeType, heard: Mapping[str, Guarded]
) -> list[Condition]:
    """The distinct conditions on compilations of `code`, those on the user's values first."""
    found = dict.fromkeys(
        each
        for kind, parts in guards
        for part in parts
        for each in conditions_of(kind, part, code, heard)
    )
    return sorted(found, key=lambda c: ORDER.index(c.kind))


def stage(
    frame: Frame, found: Sequence[Condition], sizes: Mapping[str, str], lines: SourceLines
) -> report.Stage:
    """The guards as a table; `sizes` are those that are symbols, by name, with their values."""
    rows = [Row([c.text, c.kind, _value(c, sizes)], lines.at(c.line), c.line) for c in found]
    return report.Stage(
        f"guards of {name_of(frame)}", "ok", 0.0, parent=name_of(frame),
        summary=counted(len(found), "condition"), tables=[Table("guards", _COLUMNS, rows, _ABOUT)],
    )  # fmt: skip


def _value(of: Condition, sizes: Mapping[str, str]) -> str:
    """What it was: of a condition on sizes these themselves."""
    if of.kind != "sizes" or of.value:
        return of.value
    each = {name: value for name, value in sizes.items() if name in of.text}
    return ", ".join(each.values() if len(each) == 1 else (f"{n} = {v}" for n, v in each.items()))


_ITEM = re.compile(r"(?P<holder>\w[\w.]*)\[\d+\] ")


@dataclass(frozen=True)
class _Cause:
    what: str
    why: str
    remedy: str


_SIZES = _Cause(
    "compiled for these sizes alone: {names}",
    "a call with other sizes is compiled again, then with a symbol for what has changed",
    "mark what varies with torch._dynamo.mark_dynamic before the first call, or give dynamic=True",
)
_SIZES_ALWAYS = replace(
    _SIZES, why="with dynamic=False every call with other sizes is compiled again"
)
_NUMBER = _Cause(
    "compiled for {text} alone",
    "Dynamo takes a number of Python as a constant; one that is an argument, until a call brings "
    "another, and always with dynamic=False",
    "pass it as a tensor where it changes from call to call",
)
_KEPT = replace(
    _NUMBER,
    why="Dynamo takes a number that an object holds as a constant",
    remedy="where it changes from call to call let the object hold a tensor, a module a buffer "
    "(register_buffer), or change it outside of what is compiled",
)


def specialised(
    found: Sequence[Condition], lines: SourceLines, dynamic: bool | None, ms: float | None = None
) -> Iterator[Finding]:
    """Findings for values that the next call may change: sizes of arguments, and numbers. The first
    has the cost of the compilation, `ms`, which is one for all of them. `dynamic` is what
    torch.compile was given."""
    for number, each in enumerate(_specialised(found, lines, dynamic)):
        yield each if number else structs.replace(each, compile_ms=ms)


def _specialised(
    found: Sequence[Condition], lines: SourceLines, dynamic: bool | None
) -> Iterator[Finding]:
    sizes = [c for c in found if c.kind == "tensor" and _is_fixed(c) and _is_argument(c)]
    if sizes:
        names = ", ".join(f"{c.text.split()[0]} {c.value}" for c in sizes)
        cause = _SIZES_ALWAYS if dynamic is False else _SIZES
        yield _finding(cause, sizes[0].line, lines, {"{names}": names}, sizes)
    numbers = [c for c in found if c.kind == "value" and not c.is_read and _is_number(c.value)]
    for of in _by_holder(numbers):
        cause = _NUMBER if _is_argument(of[0]) else _KEPT
        more = f" and {counted(len(of) - 1, 'more item')} of it" if len(of) > 1 else ""
        yield _finding(cause, of[0].line, lines, {"{text}": of[0].text + more}, of)


def _by_holder(found: Sequence[Condition]) -> list[list[Condition]]:
    """Each by itself, but the items of one list together."""
    groups: dict[str, list[Condition]] = {}
    for each in found:
        item = _ITEM.match(each.text)
        groups.setdefault(item["holder"] if item else each.text, []).append(each)
    return list(groups.values())


def _finding(
    cause: _Cause,
    line: int | None,
    lines: SourceLines,
    fill: Mapping[str, str],
    of: Sequence[Condition],
) -> Finding:
    what = cause.what
    for hole, text in fill.items():
        what = what.replace(hole, text)
    raw = "\n".join(c.text for c in of)
    return Finding(
        "specialised", DYNAMO, what, cause.why, cause.remedy, line, nodes=lines.at(line), raw=raw,
        category="guard",
    )  # fmt: skip


def _is_fixed(each: Condition) -> bool:
    """Whether no size of a tensor is free, which has some."""
    return all(size.strip().isdigit() for size in each.value.strip("[]").split(","))


def _is_argument(each: Condition) -> bool:
    """An argument has a name alone; what a module or a list holds has more."""
    return each.text.split()[0].isidentifier()


def _is_number(value: str) -> bool:
    return value.lstrip("-").replace(".", "", 1).isdigit()
