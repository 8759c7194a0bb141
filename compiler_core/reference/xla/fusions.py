"""The module from which code is generated: its units of execution, what is in each, and what it
costs."""

from collections import Counter
from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.xla import hlo, units
from compiler_core.reference.xla.costs import cost
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.shapes import without_layout
from compiler_core.reference.xla.texts import shown

_COLUMNS = [
    report.Column("instruction"),
    report.Column("kind", about="XLA's: kLoop computes each element of its result by itself, "
                  "kInput ends in a reduction or a write in place, kOutput follows a product, "
                  "kCustom is given to a library."),
    report.Column("members", about="What is in it."),
    report.Column("result"),
    report.Column("arithmetic", "flops", "By XLA's own analysis."),
    report.Column("transcendentals", about="Of these exp, tanh and their kin, which cost more."),
    report.Column("traffic", "bytes", "Bytes read and written, by XLA's own analysis."),
]  # fmt: skip
_ABOUT = "Each row is one kernel or call of a library; what is between its members stays in it."


def stage(places: ModulePlaces) -> report.Stage:
    """The final module, and a table of its units, by kind."""
    module = places.module
    found = sorted(units.units(module), key=lambda each: (_kind(each), each.line))
    rows = [_row(each, places) for each in found]
    table = report.Table("fusions", _COLUMNS, rows, _ABOUT)
    texts = [shown("hlo", module, places.places)]
    return report.Stage("fusions", "ok", 0.0, texts, summary=_summary(found), tables=[table])


def groups(places: ModulePlaces) -> Iterator[report.FusionGroup]:
    """The units of execution as groups of the report, in the module's order."""
    for unit in sorted(units.units(places.module), key=lambda each: each.line):
        ids, size = list(places.all_ids(unit)), cost(unit, places.module).bytes
        yield report.FusionGroup("xla", unit.name, _kind(unit), ids, size)


def _summary(found: list[hlo.Instruction]) -> str:
    kinds = Counter(map(_kind, found))
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))


def _kind(unit: hlo.Instruction) -> str:
    return unit.fusion_kind or unit.opcode


def _row(unit: hlo.Instruction, places: ModulePlaces) -> report.Row:
    costs = cost(unit, places.module)
    inside = Counter(i.opcode for i in units.members(unit, places.module))
    cells: list[report.Cell] = [
        unit.name,
        _kind(unit),
        ", ".join(op if n == 1 else f"{n} {op}" for op, n in inside.items()),
        without_layout(unit.type),
        costs.flops,
        costs.transcendentals,
        costs.bytes,
    ]
    return report.Row(cells, places.all_ids(unit), places.line(unit))
