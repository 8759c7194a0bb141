"""Dynamo's message of a graph break, parsed into its title, explanation, hints and context."""

import re
from dataclasses import dataclass

_TITLE = re.compile(r"\A(?:Encountered|Failed)[^\n]*:[^\n]*\n\s*\n(?P<rest>.*)", re.DOTALL)
_PART = re.compile(r"^  (Explanation|Hint|Developer debug context): ?", re.MULTILINE)
_LINK = re.compile(r"^ For more details about this graph break.*", re.MULTILINE | re.DOTALL)
# The beginning of a message where no graph can end at the break itself.
_WHOLE = "Failed to handle graph break gracefully"
_REST = "that we cannot resume from"


@dataclass(frozen=True)
class BreakMessage:
    """`title` is the kind of the break in torch._dynamo.graph_break_registry. `leaves` is what
    Dynamo leaves to Python beside the break itself: "all" of the function, "the rest" of it, or
    nothing. A message in any other form has its first line as the title and nothing else."""

    title: str
    explanation: str = ""
    hints: tuple[str, ...] = ()
    context: str = ""
    leaves: str = ""


def parse_message(reason: str) -> BreakMessage:
    """Parses the message of a break."""
    around = _TITLE.match(reason)
    body = _LINK.sub("", around["rest"] if around else reason)
    title, *parts = _PART.split(body)
    found: dict[str, list[str]] = {}
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        found.setdefault(name, []).append(_one_line(text))
    return BreakMessage(
        title.strip().partition("\n")[0],
        " ".join(found.get("Explanation", ())),
        tuple(found.get("Hint", ())),
        " ".join(found.get("Developer debug context", ())),
        _leaves(reason) if around else "",
    )


def _leaves(reason: str) -> str:
    begin = reason.partition("\n")[0]
    return "all" if begin.startswith(_WHOLE) else "the rest" if _REST in begin else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())
