"""What goes wrong while a torch program is traced, as one sentence with the snippet's line."""

import contextlib
import logging
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedOperatorException,
)

from compiler_core.errors import CaptureError, FuselabError
from compiler_core.report import GraphBreak
from compiler_core.snippet.output import suppress
from compiler_core.snippet.source import FILE, line_of
from compiler_core.snippet.traces import cut_traceback

_DATA_DEPENDENT = (DataDependentOutputException, DynamicOutputShapeException)


def capture_error(
    error: Exception, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> FuselabError:
    """`error` as one of ours; `args` are real tensors, for asking TorchDynamo."""
    if isinstance(error, FuselabError):
        return error
    line, trace = line_of(error), cut_traceback(error)
    if isinstance(error, _DATA_DEPENDENT):
        made = CaptureError(
            _data_dependent(error),
            line=line,
            remedy="choose with torch.where, or keep the decision outside of the program",
            # Without its last line: an exception of torch's own that says nothing to a person.
            traceback=trace.rpartition("\n")[0],
        )
        made.graph_breaks = graph_breaks(fn, args, kwargs)
        return made
    if isinstance(error, UnsupportedOperatorException):
        return CaptureError(
            f"{error.func} cannot run on abstract tensors", line=line, traceback=trace
        )
    if isinstance(error, RecursionError):
        return CaptureError("the program calls itself without end", line=line, traceback=trace)
    message = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {message[0]}" if message else type(error).__name__
    return CaptureError(text, line=line, traceback=trace)


def _data_dependent(error: Exception) -> str:
    name = str(getattr(error, "func", ""))
    if "_local_scalar_dense" in name or "equal" in name or "is_nonzero" in name:
        return "the program turns a tensor's value into a Python value and goes on from there"
    return f"the shape of {name}'s result depends on the values of its input"


def graph_breaks(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[GraphBreak]:
    """Where TorchDynamo leaves the graph, and why. Asked only where capture has failed: it takes
    a hundred times as long as a capture."""
    import torch

    try:
        with _quiet():
            explained = torch._dynamo.explain(fn)(*args, **kwargs)
    except Exception:
        # Dynamo gives up on what it cannot even break: the error itself is all that there is.
        return []
    finally:
        torch._dynamo.reset()
    return [GraphBreak(_first_line(b.reason), _line(b.user_stack)) for b in explained.break_reasons]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dynamo runs the program once more: what that prints has been printed already."""
    logger = logging.getLogger("torch._dynamo")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with suppress():
            yield
    finally:
        logger.setLevel(level)


def _first_line(reason: str) -> str:
    lines = [line.strip() for line in str(reason).splitlines() if line.strip()]
    if lines and lines[0].startswith("generic_jump"):
        return "data-dependent branching: Python asks for the value of a tensor"
    return lines[0] if lines else "graph break"


def _line(stack: traceback.StackSummary | list[traceback.FrameSummary] | None) -> int | None:
    lines = [frame.lineno for frame in stack or () if frame.filename == FILE]
    return lines[-1] if lines else None
