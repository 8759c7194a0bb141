"""TorchInductor's decisions on pairs of operations, and its findings."""

from collections.abc import Iterator, Sequence

from compiler_core.reference.inductor.decisions import calls_beside, fused_pairs, refused_pairs
from compiler_core.reference.inductor.reasons import has_template, plain
from compiler_core.reference.inductor.records import CALL, Lowered, Pair, Unit
from compiler_core.reference.inductor.stages import Naming
from compiler_core.report import Finding, FindingKind, FusionDecision, FusionGroup

_ME = "inductor"
# The reason for an operation that is not a unit of its own: Inductor computes it where it is read.
INLINED = "computed where it is read"
_COPIED = (
    "nothing is computed on the way: the program asks for another order, or for a dense tensor "
    "(contiguous, clone, a reshape of a transpose), or a library call does",
    "store it in the order in which it is read, or move the transpose next to arithmetic",
)
_CALLED = ("Inductor has no kernel of its own for it here, and fuses nothing into such a call",)
# The name of a unit whose operations have no line.
_NAMELESS = "what no line of the program names"
# Findings concern the pairs that would save most.
_MOST_FINDINGS = 12


def facts(naming: Naming, lowered: Lowered) -> Iterator[FusionDecision | Finding]:
    """What was fused, what was not and why, and which of that costs bytes."""
    refused = [*refused_pairs(lowered.pairs, lowered.after), *calls_beside(lowered.after)]
    yield from _inlined(naming, lowered.before)
    for pair in (*fused_pairs(lowered.pairs, lowered.after), *refused):
        yield _decision(naming, pair)
    costly = sorted((p for p in refused if p.bytes), key=lambda p: -p.bytes)
    for pair in costly[:_MOST_FINDINGS]:
        yield _finding(naming, pair)
    if not naming.parent:  # of what runs, not of what would run elsewhere
        yield from filter(None, (_alone(naming, unit) for unit in lowered.after))


def groups(naming: Naming, lowered: Lowered) -> Iterator[FusionGroup]:
    """The groups of operations that run as one kernel or one call, in the scheduler's order. A C++
    kernel may consist of several scheduler nodes, loops that run one after the other."""
    kernel = {member: k.name for k in lowered.kernels for member in k.members}
    parts: dict[str, list[Unit]] = {}
    for unit in lowered.after:
        names = [kernel[member] for member in unit.members if member in kernel]
        if names or unit.is_call:
            parts.setdefault(names[0] if names else unit.name, []).append(unit)
    for name, units in parts.items():
        origins = {at for unit in units for at in unit.origins}
        size = sum(unit.bytes_read + unit.bytes_written for unit in units)
        kinds = ", ".join(dict.fromkeys(unit.kind for unit in units))
        yield FusionGroup(
            _ME, name, kinds, naming.ids(sorted(origins)), size, backend=naming.backend
        )


def _inlined(naming: Naming, units: Sequence[Unit]) -> Iterator[FusionDecision]:
    for unit in units:
        ids = naming.ids(unit.origins)
        if len(ids) > 1:
            yield FusionDecision(
                _ME, unit.name, unit.name, True, INLINED, ids, ids, backend=naming.backend
            )


def _decision(naming: Naming, pair: Pair) -> FusionDecision:
    return FusionDecision(
        _ME, pair.first.name, pair.second.name, pair.fused, pair.reason,
        naming.ids(pair.first.origins), naming.ids(pair.second.origins), pair.bytes,
        backend=naming.backend,
    )  # fmt: skip


def _finding(naming: Naming, pair: Pair) -> Finding:
    meant = plain(pair.reason)
    calls = [unit.kind.removeprefix(CALL) for unit in (pair.first, pair.second) if unit.is_call]
    template = naming.template if has_template(calls, naming.backend or "cpu") else ""
    origins = sorted({*pair.first.origins, *pair.second.origins})
    line, column, _ = origins[0] if origins else (None, None, "")
    first, second = _distinct_names(pair)
    apart = "kernels of their own" if naming.backend == "gpu" else "loops of their own on the CPU"
    return Finding(
        "not fused", _ME,
        f"{first} and {second} run in {apart}",
        meant.why, meant.remedy or template,
        line, None if column is None else column - 1,
        nodes=naming.ids(origins), bytes=pair.bytes,
        raw=f"{pair.first.name} and {pair.second.name}: {pair.reason}",
    )  # fmt: skip


def _alone(naming: Naming, unit: Unit) -> Finding | None:
    """Of a node of the scheduler that is a library's or only moves elements, with what it reads and
    writes."""
    if unit.is_call:
        called = unit.kind.removeprefix(CALL)
        return _of_unit(naming, unit, "library call", f"{_named(unit)} is {called}", *_CALLED)
    if unit.is_copy:
        return _of_unit(
            naming, unit, "layout copy", f"{_named(unit)} only moves elements", *_COPIED
        )
    return None


def _of_unit(
    naming: Naming, unit: Unit, kind: FindingKind, what: str, why: str, remedy: str = ""
) -> Finding:
    line, column, _ = unit.origins[0] if unit.origins else (None, None, "")
    return Finding(
        kind, _ME, what, why, remedy, line, None if column is None else column - 1,
        nodes=naming.ids(unit.origins), bytes=unit.bytes_read + unit.bytes_written, raw=unit.name,
    )  # fmt: skip


def _distinct_names(pair: Pair) -> tuple[str, str]:
    """What the two compute."""
    first, second = _named(pair.first), _named(pair.second)
    return (first, second) if first != second else (first, "another of the same operations")


def _named(unit: Unit) -> str:
    """What a unit computes, at which lines."""
    few = list(unit.ops[:3]) + ["..."] * (len(unit.ops) > 3)
    lines = sorted({at.line for at in unit.origins})
    which = "line" if len(lines) == 1 else "lines"
    at = f" ({which} {', '.join(map(str, lines[:4]))})" if lines else ""
    return f"{', '.join(few) or _NAMELESS}{at}"
