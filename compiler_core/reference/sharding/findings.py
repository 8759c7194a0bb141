"""Entries of the why-list: arrays replicated on all devices, and communication that the snippet did
not ask for."""

import re
from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.sharding.collectives import Collective, type_of
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.report import columns
from compiler_core.wording import counted

_ID: report.Inside = "sharding"
# Smaller arrays, in bytes, are not reported: a bias, a scale, a step's number.
_LEAST_BYTES = 1 << 10

_UNNAMED = "its PartitionSpec names no axis of the mesh, so that every device has all of it"
_DIVIDE = (
    "divide it over an axis, as by NamedSharding(mesh, P({axis!r})), where each device needs a "
    "part alone; weights of data parallelism are meant to be everywhere"
)
# How to avoid what the partitioner adds, by kind of collective.
_REMEDIES = {
    "all-gather": (
        "divide the operand as the operation uses it, or say by with_sharding_constraint where "
        "the value is to be whole; in a product, divide both factors' summed dimensions alike"
    ),
    "all-to-all": "keep the division of one dimension through both operations",
    "collective-permute": (
        "avoid what shifts, reverses or reshapes a divided dimension, or divide another dimension "
        "there"
    ),
}


def replicated(placement: report.Placement, line: int | None) -> Iterator[report.Finding]:
    """A finding for each argument that is replicated on all devices; the arrays of one pytree share
    one. `line` is the program's, 1-based."""
    devices = len(placement.mesh.devices)
    trees: dict[str, list[report.Holding]] = {}
    for each in placement.holdings:
        if each.role == "argument" and each.copies == devices:
            trees.setdefault(re.split(r"[.\[]", each.name)[0], []).append(each)
    for name, found in trees.items():
        size = sum(each.bytes for each in found)
        if size >= _LEAST_BYTES:
            yield _replicated(name, found, size, devices, placement.mesh.axes[0].name, line)


def _replicated(
    name: str,
    found: list[report.Holding],
    size: int,
    devices: int,
    axis: str,
    line: int | None,
) -> report.Finding:
    what = (
        f"{name}, {found[0].type},"
        if len(found) == 1
        else f"{name}, {counted(len(found), 'array')},"
    )
    copies = f"{devices - 1} copies of {columns.size(size)}"
    return report.Finding(
        "replicated",
        _ID,
        f"{what} is held whole by each of {devices} devices: {copies}",
        why=_UNNAMED,
        remedy=_DIVIDE.format(axis=axis),
        line=line,
        bytes=(devices - 1) * size,
    )


def resharded(found: list[Collective], places: ModulePlaces) -> Iterator[report.Finding]:
    """A finding for each collective that changes a value's sharding and that the snippet did not
    ask for. An all-reduce of partial sums has none: sharding a summed dimension asks for it."""
    for each in found:
        if each.kind in _REMEDIES and not each.provenance.by_snippet:
            yield _resharded(each, places)


def _resharded(each: Collective, places: ModulePlaces) -> report.Finding:
    instruction = each.instruction
    type_, over = type_of(instruction.type), ", ".join(each.over)
    along = f" over {over}" if over else ""
    return report.Finding(
        "resharded",
        _ID,
        f"{each.kind} of {type_}{along}, which the snippet does not ask for",
        why=each.provenance.why,
        remedy=_REMEDIES[each.kind],
        line=places.line(instruction),
        nodes=places.all_ids(instruction),
        bytes=each.sent or each.bytes,
        raw=f"%{instruction.name} = {instruction.type} {instruction.rest}",
    )
