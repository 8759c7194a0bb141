"""XLA opened up: the module before and after every pass that changed it."""

from collections.abc import Iterator
from itertools import pairwise

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.xla.bound import Bound, bind
from compiler_core.reference.xla.dump import Dump, Snapshot, compile_with_dump


def look(subject: Subject) -> Look:
    """The stages of XLA's compilation of the program, or why it cannot be compiled by it."""
    bound = bind(subject.captured, subject.framework)
    return bound if isinstance(bound, str) else _look(subject, bound)


def _look(subject: Subject, bound: Bound) -> Iterator[Item]:
    with bound.tracing():
        dump = compile_with_dump(bound.lower(subject.captured))
    yield from _passes(dump)


def _passes(dump: Dump) -> Iterator[report.Stage]:
    for before, after in pairwise(dump.snapshots()):
        if after.pass_ is not None and before.text != after.text:
            yield _pass(before, after)


def _pass(before: Snapshot, after: Snapshot) -> report.Stage:
    texts = [artifact("before", "text", before.text), artifact("after", "text", after.text)]
    return report.Stage(f"{after.order} {after.pass_}", "ok", 0.0, texts, summary=after.pipeline)
