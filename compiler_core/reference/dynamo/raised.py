"""Errors that torch.compile raises instead of compiling: a graph break under fullgraph=True, a
marked size that the program specialises, too many recompilations."""

import re
from collections.abc import Iterable

from msgspec import structs

from compiler_core.reference.dynamo import breaks, private
from compiler_core.reference.dynamo.conditions import line_of, names
from compiler_core.reference.dynamo.heard import as_break
from compiler_core.reference.dynamo.private import Symbol
from compiler_core.reference.dynamo.words import Words
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Finding
from compiler_core.snippet.source import is_own
from compiler_core.wording import counted

# By the type of the exception.
_WORDS = {
    "ConstraintViolationError": Words(
        "a size is marked with mark_dynamic that the program does not leave free",
        "",
        "mark it with maybe_mark_dynamic, which gives way; or take from the program what needs its "
        "value",
    ),
    "FailOnRecompileLimitHit": Words(
        "the function was compiled so often that Dynamo compiles it no more",
        "with fullgraph=True, torch.compile raises where it would leave the function to Python",
        "make the calls more alike, or raise torch._dynamo.config.recompile_limit",
    ),
}
_PLACE = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+)')
# Precedes the number of further constraints, which mostly follow from the first.
MORE = "; so with "
# The beginning of a message's lines that name a constraint.
_VIOLATED = "- "
_VALUES = re.compile(
    r"Not all values of (.+?) = .+? in the specified range (.+?) satisfy the generated guard (.+)"
)
_NUMBER = re.compile(
    r"You marked (.+?) as dynamic but your code specialized it to be a constant \((\d+)\).*"
)


def raised(error: Exception, lines: SourceLines, symbols: Iterable[Symbol] = ()) -> Finding:
    """The error's entry of the why-list. `symbols` are those of the graph that it is of: the line
    of one that was narrowed is the error's where that names none."""
    at = as_break(error, str(error), private.stack_of(error))
    finding = breaks.finding(breaks.Met(at, 1, ()), lines, fatal=True)
    words = _WORDS.get(type(error).__name__)
    if words is None:
        return finding
    why = words.why or violated(str(error))
    kind = type(error).__name__
    places = (line_of(place) for symbol in symbols for _, place in symbol.narrowed)
    line = finding.line or _line(str(error)) or next(filter(None, places), None)
    return structs.replace(
        finding, what=words.what, why=why, remedy=words.remedy, category=kind, line=line,
        nodes=lines.at(line),
    )  # fmt: skip


def violated(message: str) -> str:
    """The first constraint in torch's message that the program violates on sizes declared as
    dynamic, in plain words, with the number of further ones, which mostly follow from the same
    line; "" if the message is about something else."""
    lines = (line.strip() for line in message.splitlines())
    found = [names(x.removeprefix(_VIOLATED)) for x in lines if x.startswith(_VIOLATED)]
    first = (
        _NUMBER.sub(r"\1 was to vary, and the program is for \2 alone", found[0]) if found else ""
    )
    first = _VALUES.sub(r"not every value of \1 (\2) fulfils \3", first)
    more = len(found) - 1
    return first.rstrip(".") + (f"{MORE}{counted(more, 'more condition')}" if more > 0 else "")


def _line(text: str) -> int | None:
    own = [int(m["line"]) for m in _PLACE.finditer(text) if is_own(m["file"])]
    return own[-1] if own else None
