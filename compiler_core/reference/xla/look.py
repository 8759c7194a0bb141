"""XLA opened up: StableHLO, then the module before and after every pass that changed it."""

from collections.abc import Iterator

from compiler_core import report
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.xla import passes, stablehlo
from compiler_core.reference.xla.bound import Bound, bind
from compiler_core.reference.xla.dump import compile_with_dump
from compiler_core.reference.xla.places import Places


def look(subject: Subject) -> Look:
    """The stages of XLA's compilation of the program, or why it cannot be compiled by it."""
    bound = bind(subject.captured, subject.framework)
    return bound if isinstance(bound, str) else _look(subject, bound)


def _look(subject: Subject, bound: Bound) -> Iterator[Item]:
    places = Places(subject.framework, subject.captured.nodes)
    with bound.tracing():
        lowered = bound.lower(subject.captured)
        given = stablehlo.shown(lowered.as_text(debug_info=True), places)
        yield report.Stage("stablehlo", "ok", 0.0, [given], summary="what XLA is given")
        dump = compile_with_dump(lowered)
    yield from passes.stages(passes.changes(dump.snapshots()), places)
