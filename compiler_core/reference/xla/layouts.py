"""Copies that XLA makes because two instructions want an array in different layouts."""

from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.shapes import bytes_of, layout_of, without_layout
from compiler_core.reference.xla.units import Leaf, members
from compiler_core.wording import counted

_COLUMNS = [
    report.Column("copy"),
    report.Column("kernel", about="In which it is made."),
    report.Column("array"),
    report.Column("from", about="The order of its dimensions in memory, densest first."),
    report.Column("to"),
    report.Column("written", "bytes"),
    report.Column(
        "alone",
        about="Whether the kernel does nothing else; in another, a copy only "
        "makes it read or write in another order.",
    ),
]
_NOTE = (
    "Every array has a layout: 1,0 of a matrix is row by row, 0,1 column by column. XLA chooses "
    "them so that most instructions agree, and copies where two do not."
)
# Instructions that move elements, or are views of them.
_MOVES = frozenset(("copy", "transpose", "reshape", "slice"))
_RETURNED = "what a program returns lies row by row, and this was computed in another order"
_REMEDY = (
    "return it before it is transposed, or transpose earlier, where another kernel can write it so"
)


def copies(leaves: list[Leaf]) -> list[Leaf]:
    """The units that copy from one layout to another."""
    return [leaf for leaf in leaves if leaf.instruction.opcode == "copy" and _differs(leaf)]


def stage(found: list[Leaf], places: ModulePlaces) -> report.Stage:
    """The table of copies."""
    table = report.Table("layout copies", _COLUMNS, [_row(leaf, places) for leaf in found], _NOTE)
    summary = counted(len(found), "array") + " copied from one layout to another"
    return report.Stage("layouts", "ok", 0.0, summary=summary, tables=[table])


def findings(found: list[Leaf], places: ModulePlaces) -> Iterator[report.Finding]:
    """A finding for each copy whose kernel computes nothing else."""
    for leaf in (each for each in found if _is_alone(each, places)):
        type_ = leaf.instruction.type
        returned = _is_returned(leaf.unit, places.module)
        yield report.Finding(
            "layout copy",
            "xla",
            f"{without_layout(type_)} is copied, from layout {_from(leaf)} to {layout_of(type_)}",
            why=_RETURNED if returned else "what reads it wants another layout than what wrote it",
            remedy=_REMEDY if returned else "",
            line=places.line(_placed(leaf)),
            nodes=places.all_ids(_placed(leaf)),
            bytes=2 * bytes_of(type_),
            raw=f"{leaf.instruction.name} in {leaf.unit.name}",
        )


def _row(leaf: Leaf, places: ModulePlaces) -> report.Row:
    type_ = leaf.instruction.type
    cells: list[report.Cell] = [
        leaf.instruction.name,
        leaf.unit.name,
        without_layout(type_),
        _from(leaf),
        layout_of(type_),
        bytes_of(type_),
        _is_alone(leaf, places),
    ]
    return report.Row(cells, places.all_ids(_placed(leaf)), places.line(_placed(leaf)))


def _differs(leaf: Leaf) -> bool:
    return _from(leaf) not in ("", layout_of(leaf.instruction.type))


def _is_alone(leaf: Leaf, places: ModulePlaces) -> bool:
    return all(each.opcode in _MOVES for each in members(leaf.unit, places.module))


def _from(leaf: Leaf) -> str:
    return layout_of(leaf.operands[0].instruction.type) if leaf.operands else ""


def _placed(leaf: Leaf) -> hlo.Instruction:
    """What says where it comes from: a copy that XLA added has the place of what it is of."""
    return leaf.instruction if leaf.ids else leaf.unit


def _is_returned(unit: hlo.Instruction, module: hlo.Module) -> bool:
    root = module.entry.root if module.entry else unit
    return unit is root or (root.opcode == "tuple" and unit.name in root.operands)
