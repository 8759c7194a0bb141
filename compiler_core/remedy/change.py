"""What a rewriter is given, and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.remedy.text import Text
from compiler_core.report import Finding, Framework


@dataclass(frozen=True)
class Asked:
    """An entry of the why-list with its snippet. `program` is the line of the program's
    function."""

    text: Text
    finding: Finding
    framework: Framework
    name: str
    program: int | None


@dataclass(frozen=True)
class Changed:
    """The whole snippet with the remedy, and what was changed: one sentence without a full stop."""

    source: str
    what: str


@dataclass(frozen=True)
class Refused:
    """Why the remedy cannot be applied to this snippet by changing its text."""

    reason: str


# None: what it looks for is not at that place.
Rewriter = Callable[[Asked], Changed | Refused | None]
