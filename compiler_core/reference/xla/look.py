"""XLA opened up: StableHLO, the module before and after every pass that changed it, the units of
execution, where values are in memory, and the code."""

from collections.abc import Iterator, Sequence

from msgspec import structs

from compiler_core import report
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.xla import (
    buffers,
    calls,
    edges,
    fusions,
    hlo,
    kernels,
    layouts,
    pass_runs,
    passes,
    private,
    stablehlo,
    thunks,
    units,
)
from compiler_core.reference.xla.bound import Bound, bind
from compiler_core.reference.xla.dump import Dump, compile_with_dump
from compiler_core.reference.xla.figures import figures, of_all
from compiler_core.reference.xla.places import Places


def look(subject: Subject) -> Look:
    """The stages of XLA's compilation of the program, graph by graph, or why it cannot be compiled
    by it."""
    bound = bind(subject.captured, subject.framework)
    return bound if isinstance(bound, str) else _look(subject, bound)


def _look(subject: Subject, bound: Sequence[Bound]) -> Iterator[Item]:
    places = Places(subject.framework, subject.captured.nodes)
    if len(bound) == 1:
        yield from (_in_graph(item, bound[0], below="") for item in _graph(bound[0], places))
        return
    found = []
    for each in bound:
        yield report.Stage(each.name, "ok", 0.0, graph=each.graph, summary="a module of its own")
        for item in _graph(each, places):
            if isinstance(item, report.CompilerSummary):
                found.append(item)
            else:
                yield _in_graph(item, each, below=each.name)
    yield of_all(found, len(subject.captured.graph_breaks))


def _in_graph(item: Item, bound: Bound, below: str) -> Item:
    """What was found in a graph, as what it is of; outermost stages stand `below` one."""
    if isinstance(item, report.Finding | report.CompilerSummary):
        return item
    own = structs.replace(item, graph=bound.graph)
    if isinstance(own, report.Stage) and not own.parent:
        return structs.replace(own, parent=below)
    return own


def _graph(bound: Bound, places: Places) -> Iterator[Item]:
    with bound.tracing():
        lowered = bound.lower()
        given = stablehlo.shown(lowered.as_text(debug_info=True), places)
        yield report.Stage("stablehlo", "ok", 0.0, [given], summary="what XLA is given")
        dump = compile_with_dump(lowered)
    changes = passes.changes(dump.snapshots())
    yield pass_runs.stage(pass_runs.ran(dump.spans), changes)
    yield from passes.stages(changes, places)
    yield from _compiled(dump, places)


def _compiled(dump: Dump, known: Places) -> Iterator[Item]:
    """What became of it: what runs as one and in which order, where values lie, the code."""
    places = known.of(hlo.parse(dump.final))
    leaves = units.leaves(places)
    yield fusions.stage(places)
    yield from fusions.groups(places)
    yield from edges.decisions(leaves, places)
    yield from edges.findings(leaves, places)
    yield from calls.findings(places)
    copies = layouts.copies(leaves)
    yield layouts.stage(copies, places)
    yield from layouts.findings(copies, places)
    assignment, live = buffers.texts(dump)
    placed = buffers.values(assignment, live)
    yield buffers.stage(placed, assignment, live, places)
    yield from buffers.plan(placed, places)
    order, run = thunks.stage(private.serialized(dump.compiled), places)
    yield order
    yield from kernels.stages(dump.files, run, places)
    yield figures(dump.compiled, places.module)
