"""A program without graphs, for compilers that follow its call by themselves."""

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.dynamo.copied import copies
from compiler_core.capture.torch.dynamo.state import State
from compiler_core.errors import REPORT_IT, CaptureError, NoReference
from compiler_core.interop import arrays
from compiler_core.snippet.program import FoundProgram

_NO_GRAPH = "the program has no graph"


def uncaptured(program: FoundProgram) -> Captured:
    """The program's call, without graphs and operations. It may write to any of its arguments:
    what it writes to is not known. What needs a graph raises CaptureError."""
    arguments = Arguments(program.args, program.kwargs)

    def by(function: Callable[..., Any], flat: Sequence[Any]) -> list[Any]:
        args, kwargs = arguments.call(copies(flat))
        state = State(program.fn, ())
        try:
            leaves = arrays.torch_leaves(function(*args, **kwargs))
            # What is given may be a tensor of the state, which is restored.
            return [x.detach().clone() for x in leaves]
        finally:
            state.restore()

    return Captured(
        graphs=(),
        arguments=arguments.tensors,
        fresh=_refuse,
        special=_refuse,
        smaller=_refuse,
        rebuild=_refuse,
        eager=lambda flat: by(program.fn, flat),
        exact=_no_reference,
        native=program.fn,
        call=arguments.call,
        written=tuple(f"argument {n}" for n in range(len(arguments.tensors))),
        by=by,
    )


def _refuse(*given: int | Sequence[Any]) -> NoReturn:
    raise CaptureError(_NO_GRAPH, remedy=REPORT_IT)


def _no_reference(given: Sequence[Any]) -> NoReturn:
    raise NoReference(CaptureError(_NO_GRAPH, remedy=REPORT_IT))
