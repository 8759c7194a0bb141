"""Where XLA puts every value: allocations, offsets within them, and when each value is alive.

    allocation 8: size 6144, preallocated-temp:
     value: <40 maximum_sine_fusion @0> (size=2048,offset=2048): f32[32,16]{1,0}

and, in another file, when it is alive, by positions in the order of execution:

        maximum_sine_fusion{}:4-6
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.xla.dump import Dump
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.shapes import without_layout
from compiler_core.wording import counted

_ALLOCATION = re.compile(r"allocation (?P<number>\d+): size (?P<size>\d+), (?P<kind>.*):$")
_VALUE = re.compile(
    r" value: <\d+ (?P<name>\S+?)(?P<index>\{[^}]*\})? @\d+> "
    r"\(size=(?P<size>\d+),offset=(?P<offset>\d+)\): (?P<type>.*)$"
)
_RANGE = re.compile(r"\s+(?P<name>\S+?)(?P<index>\{[^}]*\}):(?P<first>\d+)-(?P<last>\d+)$")
_PEAK = re.compile(r"\s+Live ranges at (\d+) \(peak\):")
_USED = re.compile(r"\s+Stack trace breakdown for peak usage: (\d[\d ]*) bytes")

_TEMPORARY = "temporary"
# The kinds of allocations, by words in XLA's text.
_KINDS = (
    ("parameter", "argument"),
    ("constant", "constant"),
    ("preallocated-temp", _TEMPORARY),
    ("maybe-live-out", "result"),
)
_UNREAD = "what this version writes could not be read: here it is as it stands"
_UNWRITTEN = "XLA has written nothing on where values lie"

# The kind of a value in the body of a reduction, which is in registers.
_REGISTERS = "thread-local"

_COLUMNS = [
    report.Column("allocation", about="Values of one allocation share its memory."),
    report.Column("kind"),
    report.Column("allocated", "bytes", "The allocation's size."),
    report.Column("value"),
    report.Column("type"),
    report.Column("offset", "bytes", "Where it begins in the allocation."),
    report.Column("size", "bytes"),
    report.Column("first", about="The step from which on it is alive."),
    report.Column("last", about="The step up to which it is alive."),
]
_ABOUT = "Two values at one place are alive at different steps: the memory is used again."


@dataclass(frozen=True)
class Value:
    """A value in an allocation; `first` and `last` are steps of the execution, None if XLA does not
    say."""

    allocation: int
    kind: str
    allocated: int
    name: str
    type: str
    offset: int
    size: int
    first: int | None = None
    last: int | None = None


def texts(dump: Dump) -> tuple[str, str]:
    """The texts of buffer assignment and of live ranges; both are the same text where a version
    writes a single file, as jaxlib 0.9 does."""
    assignment = dump.ending("after_optimizations-buffer-assignment.txt")
    return assignment, dump.ending("after_optimizations-live-range.txt") or assignment


def values(assignment: str, live: str) -> list[Value]:
    """The values in the texts of the two files; lines in any other form are skipped."""
    ranges = {
        (m["name"], m["index"]): (int(m["first"]), int(m["last"]))
        for line in live.splitlines()
        if (m := _RANGE.match(line))
    }
    found, allocation = [], None
    for line in assignment.splitlines():
        if head := _ALLOCATION.match(line):
            allocation = head
        elif allocation and (m := _VALUE.match(line)) and _REGISTERS not in allocation["kind"]:
            first, last = ranges.get((m["name"], m["index"] or "{}"), (None, None))
            name = m["name"] + (m["index"] or "").replace("{}", "")
            found.append(
                Value(int(allocation["number"]), _kind(allocation["kind"]), int(allocation["size"]),
                      name, m["type"], int(m["offset"]), int(m["size"]), first, last)
            )  # fmt: skip
    return found


def _kind(text: str) -> str:
    return next((own for word, own in _KINDS if word in text), text)


def plan(placed: list[Value], places: ModulePlaces) -> Iterator[report.Buffer]:
    """The values as buffers of a memory plan: temporaries at their offsets, with XLA's allocations
    placed one after the other. Values without known live ranges are left out."""
    sizes = {v.allocation: v.allocated for v in placed if v.kind == _TEMPORARY}
    bases = dict(zip(sizes, accumulate(sizes.values(), initial=0), strict=False))
    for value in placed:
        if value.first is None or value.last is None:
            continue
        base = bases.get(value.allocation)
        at = places.module.named(_instruction(value))
        yield report.Buffer(
            value.name,
            without_layout(value.type),
            value.size,
            None if base is None else base + value.offset,
            value.first,
            value.last,
            places.all_ids(at) if at else [],
        )


def _instruction(value: Value) -> str:
    """The name of the instruction that a value is the result of, or a part of it."""
    return value.name.split("{")[0]


def stage(placed: list[Value], assignment: str, live: str, places: ModulePlaces) -> report.Stage:
    """The stage with the tables of allocations and of memory by kind; if nothing could be parsed,
    with the text `assignment` itself."""
    found = sorted(placed, key=lambda v: (v.allocation, v.offset, v.first or 0))
    rows = [_row(value, places) for value in found]
    tables = [report.Table("buffers", _COLUMNS, rows, _ABOUT), _memory(found, live)]
    if found:
        return report.Stage("buffers", "ok", 0.0, summary=_summary(found), tables=tables)
    texts = [artifact("assignment", "text", assignment)] if assignment else []
    return report.Stage("buffers", "ok", 0.0, texts, summary=_UNREAD if texts else _UNWRITTEN)


def _row(value: Value, places: ModulePlaces) -> report.Row:
    cells: list[report.Cell] = [
        value.allocation,
        value.kind,
        value.allocated,
        value.name,
        without_layout(value.type),
        value.offset,
        value.size,
        value.first,
        value.last,
    ]
    found = places.module.named(_instruction(value))
    if found is None:
        return report.Row(cells)
    return report.Row(cells, places.all_ids(found), places.line(found))


def _by_kind(found: list[Value]) -> dict[str, int]:
    """The bytes of the allocations of each kind."""
    allocated = {v.allocation: (v.kind, v.allocated) for v in found}
    totals: dict[str, int] = {}
    for kind, size in allocated.values():
        totals[kind] = totals.get(kind, 0) + size
    return totals


def _memory(found: list[Value], live: str) -> report.Table:
    columns = [report.Column("memory"), report.Column("size", "bytes")]
    rows = [report.Row([kind, size]) for kind, size in _by_kind(found).items()]
    rows += [report.Row([f"most at once, at step {step}", size]) for step, size in _peak(live)]
    return report.Table("memory", columns, rows, "Bytes that a call has allocated.")


def _peak(live: str) -> Iterator[tuple[int, int]]:
    lines = live.splitlines()
    at = next((int(m[1]) for line in lines if (m := _PEAK.match(line))), None)
    used = next((m[1] for line in lines if (m := _USED.match(line))), None)
    if at is not None and used is not None:
        yield at, int(used.replace(" ", ""))


def _summary(found: list[Value]) -> str:
    temporary = [v for v in found if v.kind == _TEMPORARY]
    size = _by_kind(found).get(_TEMPORARY, 0)
    alone = sum(v.size for v in temporary)
    if not temporary:
        return "no memory beside arguments and results"
    saved = f", {alone} without using memory again" if alone > size else ""
    return f"{size} bytes for {counted(len(temporary), 'temporary value')}{saved}"
