"""A program that has no graph here, for compilers that follow its call by themselves."""

from collections.abc import Sequence
from typing import Any, NoReturn

from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.arguments import Arguments
from compiler_core.errors import REPORT_IT, CaptureError
from compiler_core.snippet.program import FoundProgram


def uncaptured(program: FoundProgram) -> Captured:
    """The program's call, without graphs and operations. It may write to any of its arguments:
    what it writes to is not known. Its other functions raise CaptureError."""
    arguments = Arguments(program.args, program.kwargs)
    return Captured(
        graphs=(),
        arguments=arguments.tensors,
        fresh=_refuse,
        special=_refuse,
        rebuild=_refuse,
        eager=_refuse,
        exact=_refuse,
        native=program.fn,
        call=arguments.call,
        written=tuple(f"argument {n}" for n in range(len(arguments.tensors))),
    )


def _refuse(given: int | Sequence[Any]) -> NoReturn:
    raise CaptureError("the program has no graph", remedy=REPORT_IT)
