"""The collectives of a partitioned module: what each device sends, along which axes of the mesh,
and whether the snippet asked for it."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core import report
from compiler_core.reference.sharding.groups import Groups, axes_of, differing, groups_of, shown
from compiler_core.reference.sharding.provenance import Provenance, provenance_of
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.shapes import bytes_of, without_layout

# The kind whose groups are pairs of sender and receiver.
_PAIRS = "collective-permute"
# What each kind does, in plain words.
KINDS = {
    "all-reduce": "sums what each has, or takes the largest; all have the result",
    "all-gather": "gives every device what the others hold",
    "reduce-scatter": "sums what each has; each keeps a part of the result",
    "all-to-all": "each device gives every other one a part",
    "ragged-all-to-all": "each device gives every other one a part, of different sizes",
    _PAIRS: "each device gives another one what it holds",
    "collective-broadcast": "one device gives the others what it holds",
}
# The suffix of an asynchronous collective's first instruction; the second, -done, is not counted.
_BEGINS = "-start"

_COLUMNS = [
    report.Column("collective"),
    report.Column("instruction"),
    report.Column("type", about="Of the result, on one device."),
    report.Column("size", "bytes", "Of the result, on one device."),
    report.Column(
        "sent", "bytes", "What each device sends at least, where blocks go round a ring."
    ),
    report.Column("over", about="The axes of the mesh that the devices are along."),
    report.Column("groups", about="The devices that take part together; of pairs, from and to."),
    report.Column("asked for", about="By the snippet, or by the partitioner alone."),
    report.Column("why"),
]
_ABOUT = "What devices send each other in a call, in the order of the module."


@dataclass(frozen=True)
class Collective:
    """One collective. `groups` are the device ids of each group; None if the text's form is
    unknown. `over` are the mesh axes along which the devices of a group differ."""

    kind: str
    instruction: hlo.Instruction
    groups: Groups | None
    over: tuple[str, ...]
    provenance: Provenance

    @property
    def bytes(self) -> int:
        """Bytes of the result on one device."""
        return bytes_of(self.instruction.type)

    @property
    def sent(self) -> int | None:
        """The least bytes that each device of a group of n sends, with a ring algorithm: 2 (n - 1)
        / n of the array for an all-reduce, (n - 1) / n for a gather, scatter or exchange, as NCCL's
        tests define their bus bandwidth. None if the groups are unknown."""
        if self.groups is None:
            return None
        n = max(map(len, self.groups), default=1)
        whole = self.bytes * n if self.kind == "reduce-scatter" else self.bytes
        steps = {"all-reduce": 2 * (n - 1), _PAIRS: n, "collective-broadcast": n}
        return whole * steps.get(self.kind, n - 1) // n


def collectives(
    places: ModulePlaces, mesh: report.Mesh, before: ModulePlaces | None
) -> list[Collective]:
    """The collectives of a partitioned module, in the order of its text; `before` is the module
    before partitioning."""
    return [*_found(places, mesh, before)]


def _found(
    places: ModulePlaces, mesh: report.Mesh, before: ModulePlaces | None
) -> Iterator[Collective]:
    for instruction in places.module.instruction_at.values():
        kind = instruction.opcode.removesuffix(_BEGINS)
        if kind in KINDS:
            groups = groups_of(instruction.rest)
            along = differing if kind == _PAIRS else axes_of
            over = along(groups, mesh) if groups else ()
            yield Collective(
                kind, instruction, groups, over, provenance_of(kind, instruction, over, before)
            )


def type_of(text: str) -> str:
    """A type without its layout, f32[8,16]; a tuple of equal types as 4 x f32[2,16]."""
    parts = without_layout(text).strip("()").split(", ")
    return f"{len(parts)} x {parts[0]}" if len(set(parts)) < len(parts) else without_layout(text)


def table(found: list[Collective], places: ModulePlaces) -> report.Table:
    """A table with a row for each collective."""
    return report.Table("collectives", _COLUMNS, [_row(each, places) for each in found], _ABOUT)


def _row(each: Collective, places: ModulePlaces) -> report.Row:
    instruction = each.instruction
    cells: list[report.Cell] = [
        each.kind,
        instruction.name,
        type_of(instruction.type),
        each.bytes,
        each.sent,
        ", ".join(each.over) or None,
        None if each.groups is None else shown(each.groups),
        "by the snippet" if each.provenance.by_snippet else "by the partitioner",
        each.provenance.why,
    ]
    line = each.provenance.line or places.line(instruction)
    return report.Row(cells, places.all_ids(instruction), line)
