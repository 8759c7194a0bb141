"""XLA's decision on two captured operations of which one reads the other: in one kernel or not.

XLA's CPU compiler gives no reason where it does not fuse (cpu_instruction_fusion.cc has them in its
debug log only), so the text names the kinds of kernels between which the value passes.
"""

from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.shapes import bytes_of
from compiler_core.reference.xla.units import Leaf, described, is_alone

_Key = tuple[tuple[int, ...], tuple[int, ...], str, str]
# By whether one of the two kernels is what XLA has a kernel or a library of its own for.
_WHY = {
    True: "the value goes through memory from {} to {}: XLA fuses nothing into what it has a "
    "kernel or a library of its own for",
    False: "the value goes through memory from {} to {}; XLA gives no reason",
}
# Findings are of the values that would save most.
_MOST_FINDINGS = 12


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


def findings(leaves: list[Leaf], places: ModulePlaces) -> list[report.Finding]:
    """The largest values that go through memory from one kernel to another, each once for each
    kernel that reads it."""
    met = {
        (source.instruction.name, leaf.unit.name): _finding(source, leaf, places)
        for leaf in leaves
        for source in (leaf.sources() if leaf.is_known else ())
        if source.unit is not leaf.unit
    }
    return sorted(met.values(), key=lambda each: -(each.bytes or 0))[:_MOST_FINDINGS]


def _finding(source: Leaf, leaf: Leaf, places: ModulePlaces) -> report.Finding:
    before, after = (described(each.unit, places.module) for each in (source, leaf))
    alone = is_alone(source.unit) or is_alone(leaf.unit)
    line = places.line(source.instruction)
    return report.Finding(
        "not fused", "xla",
        f"{_named(source.instruction, places)} and {_named(leaf.instruction, places)} "
        "run in kernels of their own",
        _WHY[alone].format(before, after),
        line=line, nodes=[*dict.fromkeys((*source.ids, *leaf.ids))],
        bytes=bytes_of(source.instruction.type), raw=f"{source.unit.name} -> {leaf.unit.name}",
    )  # fmt: skip


def _named(instruction: hlo.Instruction, places: ModulePlaces) -> str:
    line = places.line(instruction)
    return instruction.opcode + (f" (line {line})" if line else "")
