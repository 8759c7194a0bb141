"""What goes wrong while a torch program is traced, as one sentence with the snippet's line."""

from compiler_core.capture.torch.leaving import LeavesGraph
from compiler_core.capture.torch.private import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedOperatorException,
)
from compiler_core.capture.torch.scalar_indices import PlaceWritten
from compiler_core.capture.torch.text import in_words
from compiler_core.errors import CaptureError, FuselabError
from compiler_core.interop.private import FakeTensor
from compiler_core.snippet.own_operations import lack_of
from compiler_core.snippet.remedies import remedy_of
from compiler_core.snippet.source import line_of
from compiler_core.snippet.traces import cut_traceback

_VALUES = (DataDependentOutputException, DynamicOutputShapeException, LeavesGraph, PlaceWritten)
# torch's message for operations such as torch.cond, whose functions our trace cannot follow.
_HIGHER_ORDER = "no rule registered for HigherOrderOperator"
# torch's messages where a program that runs without autograd asks for a gradient.
_GRADIENTS = ("does not require grad", "does not have a grad_fn", "doesn't require gradient")

_WITHOUT_VALUES = (
    "a program is captured on tensors without values: keep what needs values or memory of tensors "
    "outside of the compiled function"
)
_ABSTRACT = "say what it gives by torch.library.register_fake, or call it outside of the program"

_FAKE = FakeTensor.__name__
# The message of torch's C++ where it reads the elements of a fake tensor, as tensor_split does.
_READ = "its data is not allocated yet"
# torch's message where a fake tensor is converted to a numpy array; TorchDynamo follows numpy.
_ARRAY = "numpy() is not supported for tensor subclasses"


def leaves_the_graph(error: Exception) -> bool:
    """Whether a program that raises `error` on fake tensors may be captured as several graphs: it
    asks for a tensor's value, runs an operation without an abstract form, takes functions, or asks
    for gradients."""
    unknown = isinstance(error, UnsupportedOperatorException)
    unknown = unknown or any(phrase in str(error) for phrase in (_READ, _ARRAY))
    known = isinstance(error, _VALUES) or takes_functions(error) or wants_gradients(error)
    return unknown or known


def takes_functions(error: Exception) -> bool:
    """Whether `error` comes from torch.cond or the like, whose functions a trace cannot follow."""
    return _HIGHER_ORDER in str(error)


def wants_gradients(error: BaseException | None) -> bool:
    """Whether `error` is raised because the trace runs without autograd."""
    return isinstance(error, RuntimeError) and any(phrase in str(error) for phrase in _GRADIENTS)


def capture_error(error: Exception) -> FuselabError:
    """`error` as a CaptureError: one sentence, the snippet's line, and the snippet's part of the
    traceback. A FuselabError is returned as it is, with the line that it was raised in."""
    line, trace = line_of(error), cut_traceback(error)
    if isinstance(error, FuselabError):
        error.line = error.line or line
        return error
    # To the snippet it is a tensor.
    trace = trace.replace(_FAKE, "Tensor")
    text, remedy = _in_plain_words(error) or (_said(error), remedy_of(error) or _WITHOUT_VALUES)
    return CaptureError(text, line=line, remedy=remedy, traceback=trace)


def _in_plain_words(error: Exception) -> tuple[str, str] | None:
    """The sentence and the remedy for what is known."""
    if isinstance(error, UnsupportedOperatorException):
        return f"{in_words(error.func)} cannot run on tensors without values", _ABSTRACT
    if isinstance(error, RecursionError):
        return "the program calls itself without end", "give the recursion an end that is reached"
    lack = lack_of(str(error))
    return (lack.why, lack.remedy) if lack else None


def _said(error: Exception) -> str:
    """The exception's type and the first line of its message."""
    message = str(error).strip().replace(_FAKE, "Tensor").splitlines()
    return f"{type(error).__name__}: {message[0]}" if message else type(error).__name__
