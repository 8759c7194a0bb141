"""Why JAX traced a function again: the snippet's calls of jitted functions are repeated, traced and
not run, and JAX explains each trace."""

import functools
from collections.abc import Iterator
from typing import Any

import jax

from compiler_core import report
from compiler_core.reference.jax import private
from compiler_core.reference.jax.signatures import Difference, Signature
from compiler_core.snippet.naming import name_of
from compiler_core.snippet.program import Again, FoundProgram
from compiler_core.wording import counted

_COLUMNS = [
    report.Column("call", about="The snippet's line that makes it."),
    report.Column("traced", about="Whether JAX traces the function for it."),
    report.Column("because", about="What is otherwise than in the call before that is most alike."),
]
_ABOUT = "Of calls that are alike in their types, the first alone is shown."


def retraced(program: FoundProgram) -> Iterator[report.Stage | report.Finding]:
    """The table of calls, and a finding for each that JAX traces again; nothing if there is only
    one call."""
    if not program.later:
        return
    calls = [Again(program.args, program.kwargs, program.called), *program.later]
    jitted = _jitted(program)
    known: list[Signature] = []
    rows, findings = [], []
    for call in calls:
        explanation = _traced(jitted, call)
        signature = Signature.of(program, call.args, call.kwargs)
        because = _closest(signature, known)
        known.append(signature)
        is_again = bool(explanation) and len(known) > 1
        text = ", ".join(d.text for d in because) if explanation else ""
        rows.append(report.Row([call.line, bool(explanation), text or None], line=call.line))
        if is_again:
            findings.append(_finding(program, call, because, explanation))
    table = report.Table("calls", _COLUMNS, rows, _ABOUT)
    summary = f"traced again for {counted(len(findings), 'call')}"
    yield report.Stage("traces", "ok", 0.0, summary=summary, tables=[table])
    yield from findings


def _jitted(program: FoundProgram) -> Any:
    """A function that JAX has not seen, so that no call of the snippet's is known to it."""

    def anew(*args: Any, **kwargs: Any) -> Any:
        return program.fn(*args, **kwargs)

    return jax.jit(
        functools.update_wrapper(anew, program.fn),
        static_argnums=program.static_argnums or None,
        static_argnames=program.static_argnames or None,
    )


def _traced(jitted: Any, call: Again) -> str:
    """What JAX says of why it traces for a call; blank where it does not trace."""
    with private.explained() as explanation:
        jitted.trace(*call.args, **call.kwargs)
    return explanation[0] if explanation else ""


def _closest(signature: Signature, known: list[Signature]) -> list[Difference]:
    """How a call differs from the one before that is most alike: JAX's own choice of that can
    mislead."""
    differing = [found for each in known if (found := signature.differences(each))]
    return min(differing, key=len, default=[])


def _finding(
    program: FoundProgram, call: Again, because: list[Difference], explanation: str
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
        raw=explanation,
    )
