"""A JAX program on a mesh of devices: the snippet's own call, compiled with its shardings.

The devices are virtual and share this machine's CPU: the partitioned module is that of as many real
devices, but its time is not theirs, and is not measured.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import jax

from compiler_core import report
from compiler_core.capture.jax.capture import leaf_names
from compiler_core.capture.jax.statics import Statics
from compiler_core.reference.sharding import collectives, findings, holdings, memory, texts
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.xla import hlo, stablehlo
from compiler_core.reference.xla.dump import Dump, compile_with_dump
from compiler_core.reference.xla.places import ModulePlaces, Places
from compiler_core.reference.xla.texts import shown
from compiler_core.report.columns import size
from compiler_core.snippet.ambient_mesh import under_mesh
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.virtual_devices import count
from compiler_core.wording import counted

_TORCH = (
    "devices are JAX's here: a mesh of torch's (init_device_mesh, DTensor) needs a process for "
    "each of its devices"
)
_ONE = "there is one device, and nothing to divide: choose 2 to 8 devices"
_UNDIVIDED = (
    "nothing of the program is divided over the {0} devices: give an argument a NamedSharding, or "
    "use shard_map, pmap or with_sharding_constraint"
)
_NOT_TIMED = "they share one CPU, so this is not timed: the figures are those of one device"


def look(subject: Subject) -> Look:
    """The stages of the program's partitioning; or, in one sentence, why there are none. Raises
    what JAX raises."""
    if subject.framework != "jax":
        return _TORCH
    return _look(subject) if count() > 1 else _ONE


def _look(subject: Subject) -> Iterator[Item]:
    program, places = subject.program, Places("jax", subject.captured.nodes)
    with under_mesh(program.mesh):
        lowered = _lowered(program)
        text = lowered.as_text(debug_info=True)
        lowered_text = stablehlo.shown(text, places)
        yield report.Stage("stablehlo", "ok", 0.0, [lowered_text], summary=texts.annotations(text))
        dump = compile_with_dump(lowered)
    yield from filter(None, (texts.propagation(dump),))
    pair = texts.partitioning(dump)
    if pair is not None:
        yield from texts.partitioner(*pair, places)
    before = places.of(pair[0]) if pair is not None else None
    yield from _placed(program, dump, lowered, places.of(hlo.parse(dump.final)), before)


def _lowered(program: FoundProgram) -> Any:
    """A jax.stages.Lowered: of the snippet's own jax.jit or jax.pmap, or of jax.jit if it has
    none."""
    own = program.own or jax.jit(
        program.fn,
        static_argnums=program.static_argnums or None,
        static_argnames=program.static_argnames or None,
    )
    return own.lower(*program.args, **program.kwargs)


def _placed(
    program: FoundProgram,
    dump: Dump,
    lowered: Any,
    places: ModulePlaces,
    before: ModulePlaces | None,
) -> Iterator[Item]:
    """The stages and findings of what one device runs, sends and holds."""
    names = [*leaf_names(program, Statics(program))]
    placement = holdings.placement(dump.compiled, lowered, names)
    mesh = placement.mesh if placement else report.Mesh([], [])
    found = collectives.collectives(places, mesh, before)
    module = shown("hlo", places.module, places.places)
    tables = [collectives.table(found, places), memory.table(dump.compiled)]
    kept = [each for each in tables if each is not None and each.rows]
    yield report.Stage("partitioned", "ok", 0.0, [module], summary=_summary(found), tables=kept)
    if placement is None:
        yield report.Stage("arrays", "skipped", 0.0, summary=_UNDIVIDED.format(count()))
        return
    yield holdings.stage(placement, _NOT_TIMED)
    yield from findings.replicated(placement, program.line)
    yield from findings.resharded(found, places)


def _summary(found: list[collectives.Collective]) -> str:
    """One sentence on what a device sends in a call."""
    if not found:
        return "what each device runs; they send each other nothing"
    kinds = Counter(each.kind for each in found)
    sent = ", ".join(counted(number, kind) for kind, number in kinds.items())
    total = size(sum(e.sent or 0 for e in found))
    return f"what each device runs: {sent}; each sends {total}"
