"""The module before and after every pass that changed it, under the pipeline that ran the pass."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

from compiler_core import report
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.dump import Snapshot
from compiler_core.reference.xla.pass_names import about
from compiler_core.reference.xla.places import Places
from compiler_core.reference.xla.texts import shown
from compiler_core.wording import counted


@dataclass(frozen=True)
class Change:
    """A pass that changed the module, with the module before and after it. XLA also changes it
    between pipelines, without a pass: then `pipeline` is ""."""

    pipeline: str
    pass_: str
    before: hlo.Module
    after: hlo.Module


@dataclass
class _Names:
    """Names of stages, each once: a pass that changes the module again is numbered."""

    _met: Counter[str] = field(default_factory=Counter)

    def of(self, name: str) -> str:
        self._met[name] += 1
        return f"{name} {self._met[name]}" if self._met[name] > 1 else name


def changes(snapshots: list[Snapshot]) -> list[Change]:
    """The passes after which the text that people read differs."""
    found, before = [], None
    for snapshot in snapshots:
        after = hlo.parse(snapshot.text)
        if before is not None and before.text != after.text:
            found.append(_change(snapshot, before, after))
            before = after
        before = before or after
    return found


def _change(snapshot: Snapshot, before: hlo.Module, after: hlo.Module) -> Change:
    """What stands at the beginning of a pipeline was made before it."""
    if snapshot.pass_ is not None:
        return Change(snapshot.pipeline, snapshot.pass_, before, after)
    scheduled = after.is_scheduled and not before.is_scheduled
    return Change("", "scheduling" if scheduled else "between pipelines", before, after)


def stages(found: list[Change], places: Places) -> Iterator[report.Stage]:
    """A stage for each pipeline that changed the module, and below it one for each of its
    passes."""
    names = _Names()
    for pipeline, group in groupby(found, key=lambda each: each.pipeline):
        parent = names.of(pipeline) if pipeline else ""
        passes = list(group)
        if parent:
            yield _pipeline(parent, pipeline, passes)
        for each in passes:
            yield _pass(each, names, parent, places)


def _pipeline(name: str, pipeline: str, passes: list[Change]) -> report.Stage:
    counts = f"{counted(len(passes), 'change')} of the module"
    return report.Stage(name, "ok", 0.0, summary=_joined(about(pipeline), counts))


def _pass(change: Change, names: _Names, parent: str, places: Places) -> report.Stage:
    texts = [shown("before", change.before, places), shown("after", change.after, places)]
    before, after = (len(m.instruction_at) for m in (change.before, change.after))
    counts = counted(before, "instruction")
    counts = counts if before == after else f"{counts} become {after}"
    summary = _joined(about(change.pass_), counts)
    return report.Stage(names.of(change.pass_), "ok", 0.0, texts, summary=summary, parent=parent)


def _joined(*parts: str) -> str:
    return ": ".join(filter(None, parts))
