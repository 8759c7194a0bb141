"""The argument and the results of a rewriter."""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.remedy.text import Text
from compiler_core.report import Finding, Framework


@dataclass(frozen=True)
class RemedyRequest:
    """An entry of the why-list with its snippet. `name` is the program's name, and `program` the
    line of its function, 1-based, if it has one in the snippet. Of its arguments `lists` has the
    names of those that are lists or tuples, `plain` of whole numbers, flags and texts, and `texts`
    of the last alone."""

    text: Text
    finding: Finding
    framework: Framework
    name: str
    program: int | None
    lists: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Changed:
    """The text of the whole snippet with the remedy, and what was changed, in one sentence without
    a full stop."""

    source: str
    what: str


@dataclass(frozen=True)
class Refused:
    """The reason why the remedy cannot be applied to this snippet by changing its text."""

    reason: str


# None if the pattern that it looks for is not at the finding's line.
Rewriter = Callable[[RemedyRequest], Changed | Refused | None]
