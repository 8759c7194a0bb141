"""An entry of a program's why-list as the request for a remedy."""

from collections.abc import Iterator
from typing import Any

from compiler_core.remedy.change import RemedyRequest
from compiler_core.remedy.text import Text
from compiler_core.report import Finding
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.signature import argument_names


def remedy_request(text: Text, finding: Finding, program: FoundProgram) -> RemedyRequest:
    """The request for a remedy of `finding`; `text` is that of the program's snippet."""
    given = dict(_arguments(program))
    lists, plain, texts = (
        frozenset(name for name, x in given.items() if isinstance(x, kinds))
        for kinds in ((list, tuple), (int, str), str)
    )
    own = program.framework, program.name, program.line
    return RemedyRequest(text, finding, *own, lists, plain, texts)


def _arguments(program: FoundProgram) -> Iterator[tuple[str, Any]]:
    """The arguments of the program's call, by name."""
    yield from zip(argument_names(program.fn), program.args, strict=False)
    yield from program.kwargs.items()
