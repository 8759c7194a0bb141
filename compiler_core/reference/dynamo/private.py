"""Private functions of TorchDynamo, each wrapped in a small function: a new release of torch breaks
one place. More of them: compiler_core/capture/torch/dynamo/private.py."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import torch


def compile_id() -> str:
    """What Dynamo compiles at the moment, as its own logs name it: "0/1" is the second compilation
    of the first function; "" where it compiles nothing."""
    from torch._guards import CompileContext

    found = CompileContext.current_compile_id()
    return "" if found is None else str(found)


@contextlib.contextmanager
def on_break(met: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Context in which `met` is called for each graph break, once for each function that is given
    up for it: with the exception (an Unsupported with `gb_type`, or an error of the user's), its
    whole text, and the user's stack as FrameSummaries, outermost first."""
    from torch._dynamo.symbolic_convert import InstructionTranslatorBase

    real = InstructionTranslatorBase.log_graph_break

    def log(self: Any, code_options: Any, reason: str, exc: Any) -> None:
        if not exc.logged:
            met(exc, reason, stack_of(exc))
        real(self, code_options, reason, exc)

    with mock.patch.object(InstructionTranslatorBase, "log_graph_break", log):
        yield


def stack_of(error: Any) -> list[Any]:
    """The user's stack where Dynamo raised `error`, as FrameSummaries, outermost first."""
    stack = getattr(error, "real_stack", None)
    return list(torch._guards.TracingContext.extract_stack() if stack is None else stack)


def category(error: Any) -> str:
    """Dynamo's own name of a graph break (torch._dynamo.graph_break_registry); the type's name of
    what has none."""
    return getattr(error, "gb_type", None) or type(error).__name__


def is_dynamos(error: BaseException) -> bool:
    """Whether Dynamo itself raised `error`: it does not follow the program."""
    from torch._dynamo.exc import TorchDynamoException

    return isinstance(error, TorchDynamoException)


def compile_times() -> dict[str, float]:
    """Milliseconds of each compilation since the last `forget`, by its id; torch keeps the last
    64."""
    from torch._dynamo.utils import get_compilation_metrics

    return {str(m.compile_id): (m.duration_us or 0) / 1e3 for m in get_compilation_metrics()}


@contextlib.contextmanager
def fresh_sizes() -> Iterator[None]:
    """Context in which Dynamo has seen no sizes: it makes symbols of those that have changed from
    call to call, by the place of a function."""
    from torch._dynamo import pgo

    with mock.patch.multiple(pgo, _CODE_STATE=None, _INIT_CODE_STATE=None):
        yield
