"""What a rewriter gives for an entry of the why-list."""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.remedy.text import Text
from compiler_core.report import Finding, Framework


@dataclass(frozen=True)
class Asked:
    """An entry of the why-list, in the snippet that it is of. `program` is the line of the
    program's function."""

    text: Text
    finding: Finding
    framework: Framework
    name: str
    program: int | None


@dataclass(frozen=True)
class Changed:
    """The whole snippet with the remedy in it, and what was done, in one sentence without a full
    stop."""

    source: str
    what: str


@dataclass(frozen=True)
class Refused:
    """Why the remedy cannot be put into this snippet by a change of its text."""

    reason: str


# None: what it looks for is not at that place.
Rewriter = Callable[[Asked], Changed | Refused | None]
