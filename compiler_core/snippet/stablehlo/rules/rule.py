"""What a rule is."""

from collections.abc import Callable, Sequence
from typing import Any

from compiler_core.errors import SnippetError
from compiler_core.snippet.stablehlo.module import Operation

Regions = Sequence[Callable[..., list[Any]]]
Rule = Callable[[Operation, Sequence[Any], Regions], Any]


def refused(operation: Operation, why: str, remedy: str) -> SnippetError:
    """The error for an operation in a form that no rule supports."""
    return SnippetError(why, line=operation.line, remedy=remedy)
