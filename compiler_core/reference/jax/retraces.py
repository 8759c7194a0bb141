"""Why JAX traced a function again: the snippet's calls of jitted functions are repeated, traced,
compiled where they are traced again, and not run, and JAX explains each trace."""

import functools
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import jax

from compiler_core import report
from compiler_core.reference.jax import private
from compiler_core.reference.jax.signatures import Difference, Signature
from compiler_core.reference.xla import anew
from compiler_core.snippet.ambient_mesh import under_mesh
from compiler_core.snippet.naming import name_of
from compiler_core.snippet.program import Again, FoundProgram
from compiler_core.snippet.source import FILE
from compiler_core.wording import counted, in_lines

_COLUMNS = [
    report.Column("call", about="The snippet's line that makes it."),
    report.Column("traced", about="Whether JAX traces the function for it."),
    report.Column("because", about="What is otherwise than in the call before that is most alike."),
    report.Column("compile time", "ms", about="To trace and compile it again."),
]
# No compilation begins after so many seconds of compiling.
_MOST_SECONDS = 2.0
# The place that JAX names for a call: the repetition in this file.
_HERE = re.compile(rf"{re.escape(__file__)}[:\d]* \(\w+\)")
_ABOUT = "Of calls that are alike in their types, the first alone is shown."


def retraced(program: FoundProgram) -> Iterator[report.Stage | report.Finding]:
    """The table of calls, and a finding for each that JAX traces again; nothing if there is only
    one call."""
    if not program.later:
        return
    calls = [Again(program.args, program.kwargs, program.called), *program.later]
    jitted = _jitted(program)
    known: list[Signature] = []
    rows, findings, spent = [], list[report.Finding](), 0.0
    for call in calls:
        with under_mesh(program.mesh):
            trace = _traced(jitted, call, compiled=bool(known) and spent < _MOST_SECONDS * 1e3)
        signature = Signature.of(program, call.args, call.kwargs)
        because = _closest(signature, known)
        known.append(signature)
        spent += trace.ms or 0.0
        is_new = bool(trace.explanation)
        text = ", ".join(d.text for d in because) if is_new else ""
        rows.append(report.Row([call.line, is_new, text or None, trace.ms], line=call.line))
        if is_new and len(known) > 1:
            findings.append(_finding(program, call, because, trace))
    table = report.Table("calls", _COLUMNS, rows, _ABOUT)
    more = program.calls_left_out
    summary = f"traced again for {counted(len(findings), 'call')}"
    summary += f"; {counted(len(more), 'later call')} that differ are not repeated" * bool(more)
    yield report.Stage("traces", "ok", 0.0, summary=summary, tables=[table])
    yield from findings
    yield from _more(more, findings)


def _more(
    left: Sequence[int | None], findings: Sequence[report.Finding]
) -> Iterator[report.Finding]:
    """One for all calls that differ from those that were repeated."""
    if left and findings:
        count = len(left)
        what = f"later calls differ too, {count} of them{in_lines(left)}, and are not repeated here"
        why = "of calls that differ the first few are, and JAX compiles for each"
        last = findings[-1]
        yield report.Finding("traced again", "jax", what, why, last.remedy, last.line, count=count)


def _jitted(program: FoundProgram) -> Any:
    """A function that JAX has not seen, so that no call of the snippet's is known to it."""

    def anew(*args: Any, **kwargs: Any) -> Any:
        return program.fn(*args, **kwargs)

    return jax.jit(
        functools.update_wrapper(anew, program.fn),
        static_argnums=program.static_argnums or None,
        static_argnames=program.static_argnames or None,
    )


class _Trace(NamedTuple):
    """What JAX says of why it traces for a call, blank where it does not; and the milliseconds that
    tracing and compiling take, where it was compiled."""

    explanation: str = ""
    ms: float | None = None


def _traced(jitted: Any, call: Again, *, compiled: bool) -> _Trace:
    start = time.perf_counter()
    with private.explained() as explanation:
        traced = jitted.trace(*call.args, **call.kwargs)
    if not explanation:
        return _Trace()
    if not compiled:
        return _Trace(explanation[0])
    with anew.compiling():
        traced.lower().compile()
    return _Trace(explanation[0], (time.perf_counter() - start) * 1e3)


def _closest(signature: Signature, known: list[Signature]) -> list[Difference]:
    """How a call differs from the one before that is most alike: JAX's own choice of that can
    mislead."""
    differing = [found for each in known if (found := signature.differences(each))]
    return min(differing, key=len, default=[])


def _finding(
    program: FoundProgram, call: Again, because: list[Difference], trace: _Trace
) -> report.Finding:
    first = because[0] if because else None
    text = ", ".join(d.text for d in because) or "for a reason that JAX gives in its own words"
    return report.Finding(
        "traced again",
        "jax",
        f"`{name_of(program.fn)}` is traced again: {text}",
        why=first.why if first else "",
        remedy=first.remedy if first else "",
        line=call.line,
        compile_ms=trace.ms,
        raw=_HERE.sub(
            f"{FILE}:{call.line}" if call.line else name_of(program.fn), trace.explanation
        ),
        category=first.kind if first else "",
    )
