"""XLA's decision on two captured operations of which one reads the other: in one kernel or not.

XLA's CPU compiler gives no reason where it does not fuse (cpu_instruction_fusion.cc has them in its
debug log only), so the text names the kinds of kernels between which the value passes.
"""

from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.shapes import bytes_of
from compiler_core.reference.xla.units import Leaf, described

_Key = tuple[tuple[int, ...], tuple[int, ...], str, str]


def decisions(leaves: list[Leaf], places: ModulePlaces) -> Iterator[report.FusionDecision]:
    """A decision for each pair of operations in each pair of kernels; an operation that is
    recomputed in each kernel that reads it is fused with each."""
    met: set[_Key] = set()
    for leaf in leaves:
        for source in leaf.sources() if leaf.is_known else ():
            key = source.ids, leaf.ids, source.unit.name, leaf.unit.name
            if source.ids != leaf.ids and key not in met:
                met.add(key)
                yield _decision(source, leaf, places)


def _decision(source: Leaf, leaf: Leaf, places: ModulePlaces) -> report.FusionDecision:
    fused = source.unit is leaf.unit
    return report.FusionDecision(
        "xla",
        source.instruction.name,
        leaf.instruction.name,
        fused,
        _reason(source, leaf, places, fused),
        [*source.ids],
        [*leaf.ids],
        bytes_of(source.instruction.type),
    )


def _reason(source: Leaf, leaf: Leaf, places: ModulePlaces, fused: bool) -> str:
    before, after = (described(each.unit, places.module) for each in (source, leaf))
    if fused:
        return f"{after}, {leaf.unit.name}"
    return f"XLA gives no reason: from {before} ({source.unit.name}) to {after} ({leaf.unit.name})"
