"""JAX opened up: how it takes the arguments, what it traces, what each transformation turned its
function into, and why it traces again."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import jax

from compiler_core import report
from compiler_core.capture.jax.statics import Statics
from compiler_core.reference.jax import arguments, jaxprs, residuals
from compiler_core.reference.jax.retraces import retraced
from compiler_core.reference.jax.transforms import Transformed, transformed
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.snippet.ambient_mesh import under_mesh
from compiler_core.wording import counted

_NOT_JAX = "the program is torch's, and JAX traces none of it"


def look(subject: Subject) -> Look:
    """The stages of JAX's tracing of the program, or why there are none."""
    return _NOT_JAX if subject.framework != "jax" else _look(subject)


def _look(subject: Subject) -> Iterator[Item]:
    captured, lines = subject.captured, SourceLines(subject.captured.nodes)
    statics = Statics(subject.program)

    def anew(*args: Any, **kwargs: Any) -> Any:  # JAX does not trace a function that it knows
        return statics(*args, **kwargs)

    def trace() -> Any:
        return jax.make_jaxpr(anew)(*statics.args, **statics.kwargs)

    with under_mesh(subject.program.mesh):
        found = transformed(trace)
        closed = trace()
    yield arguments.stage(subject.program, captured, closed)
    summary = counted(jaxprs.equations(closed), "equation")
    yield report.Stage("jaxpr", "ok", 0.0, [jaxprs.shown("jaxpr", closed, lines)], summary=summary)
    met: Counter[str] = Counter()
    for each in found:
        met[each.transform] += 1
        yield _stage(each, met[each.transform], lines)
    yield from retraced(subject.program)


def _stage(each: Transformed, number: int, lines: SourceLines) -> report.Stage:
    name = f"{each.transform} {number}" if number > 1 else each.transform
    where = f" at line {each.line}" if each.line else ""
    if each.reason:
        summary = f"what it makes{where} cannot be shown: {each.reason}"
        return report.Stage(name, "skipped", 0.0, summary=summary)
    texts = [jaxprs.shown("before", each.before, lines), jaxprs.shown("after", each.after, lines)]
    tables = [residuals.table(each.residuals, lines)] if each.residuals else []
    summary = ", ".join(filter(None, (_counted(each, where), residuals.summary(each.residuals))))
    return report.Stage(name, "ok", 0.0, texts, summary=summary, tables=tables)


def _counted(each: Transformed, where: str) -> str:
    before, after = map(jaxprs.equations, (each.before, each.after))
    return f"of `{each.function}`{where}: {counted(before, 'equation')} before, {after} after"
