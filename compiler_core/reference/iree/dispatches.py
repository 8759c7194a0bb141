"""Which operations IREE puts into one dispatch."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core import report
from compiler_core.reference.iree import mlir
from compiler_core.reference.iree.tensors import bytes_of
from compiler_core.wording import counted

_BEGIN = re.compile(
    r"(?P<indent>\s*)(?:%[\w:, %]+ = )?flow\.dispatch\.workgroups.*\) : "
    r"\((?P<read>.*)\) -> (?P<made>.*) ="
)
_NAMED = re.compile(r"flow\.dispatch @[\w$.-]+::@([\w$.-]+)")
_OP = re.compile(r"(?:^|= )((?:linalg|arith|math|iree_linalg_ext)\.[\w.]+)")
# The initial value of a reduction or a product; equal ones are shared, at the place of the first.
_BEGINS = "linalg.fill"
# Operations that pass values on and do no work.
_IDLE = frozenset(("linalg.yield", "arith.constant", "linalg.index"))
_COLUMNS = [
    report.Column("dispatch"),
    report.Column("members", about="What is computed in it, without constants."),
    report.Column("result"),
    report.Column("traffic", "bytes", "Its operands and results once each."),
]
_ABOUT = "Each row is one dispatch, a launch of IREE's; what is between its members stays in it."


@dataclass(frozen=True)
class Region:
    """One dispatch: its name in IREE, the operations in it, and the captured operations that it
    comes from."""

    name: str
    members: dict[str, int]
    result: str
    bytes: int
    nodes: tuple[int, ...]

    @property
    def kind(self) -> str:
        """The names of its linalg operations, or "a dispatch" if it has none."""
        return ", ".join(m for m in self.members if m.startswith("linalg.")) or "a dispatch"


def regions(creation: mlir.Text, flow: mlir.Text) -> list[Region]:
    """The dispatches in the order of the text of phase dispatch-creation. Their names are those in
    phase flow, if both texts have the same number of dispatches."""
    found = list(_bodies(creation))
    names = [m[1] for line in flow.lines if (m := _NAMED.search(line))]
    if len(names) != len(found):
        names = [f"dispatch {number}" for number in range(len(found))]
    return [_region(name, *each) for name, each in zip(names, found, strict=True)]


def _bodies(text: mlir.Text) -> Iterator[tuple[re.Match[str], list[str], set[int]]]:
    """Each region's head, its lines, and the ids in it."""
    inside: tuple[re.Match[str], list[str], set[int]] | None = None
    begun: set[int] = set()
    for line, ids in zip(text.lines, text.nodes, strict=True):
        if inside is None:
            if head := _BEGIN.fullmatch(line):
                inside, begun = (head, [], set()), set()
            continue
        inside[1].append(line)
        if _is_work(line.strip()):
            (begun if f"= {_BEGINS} " in line else inside[2]).update(ids)
        if line == f"{inside[0]['indent']}}}":
            inside[2].update(() if inside[2] else begun)
            yield inside
            inside = None


def _is_work(line: str) -> bool:
    """Buffers, loads and constants have the place of whatever asked for them first. What has a body
    ends in its place."""
    op = _OP.search(line)
    return line.startswith("}") or (op is not None and op[1] not in _IDLE)


def _region(name: str, head: re.Match[str], lines: list[str], ids: set[int]) -> Region:
    ops = (m[1] for line in lines if (m := _OP.search(line.strip())))
    members = dict(Counter(op for op in ops if op not in _IDLE))
    result = head["made"].removeprefix("(").removesuffix(")")
    moved = bytes_of(head["read"]) + bytes_of(result)
    return Region(name, members, result, moved, tuple(sorted(ids)))


def stage(found: list[Region], lines: dict[int, int | None]) -> report.Stage:
    """A table of the dispatches. `lines` are the snippet's, by captured operation."""
    rows = [_row(each, lines) for each in found]
    table = report.Table("dispatches", _COLUMNS, rows, _ABOUT)
    summary = counted(len(found), "dispatch")
    return report.Stage("dispatches", "ok", 0.0, summary=summary, tables=[table])


def counts(found: list[Region]) -> dict[str, report.Figure]:
    """The figures of the dispatches: equal ones share one executable, and none calls a library."""
    return {
        "kernels": report.Figure(len({each.name for each in found})),
        "launches": report.Figure(len(found)),
        "library_calls": report.Figure(0),
        "bytes": report.Figure(sum(each.bytes for each in found)),
    }


def _row(region: Region, lines: dict[int, int | None]) -> report.Row:
    members = ", ".join(op if n == 1 else f"{n} {op}" for op, n in region.members.items())
    line = next((at for i in region.nodes if (at := lines.get(i))), None)
    return report.Row([region.name, members, region.result, region.bytes], [*region.nodes], line)
