"""Exceptions that are the program's own: the framework raises them too when it runs the program."""

import dis
import re

from compiler_core.errors import FuselabError, ProgramRaises, SnippetError, own_fault, sentence_of
from compiler_core.report import Framework
from compiler_core.snippet.remedies import no_memory, remedy_of, words_of
from compiler_core.snippet.source import is_own, line_of
from compiler_core.snippet.traces import cut_traceback

_NAMES: dict[Framework, str] = {"torch": "PyTorch", "jax": "JAX"}
_OUT_OF_BOUNDS = re.compile(r"out of (range|bounds|DATA bounds)")
# PyTorch raises for an index out of bounds, JAX never does; compiled code is the same for both
# (ir/ops/indexing.py).
_KEEP_IN_BOUNDS = (
    "keep every index within its dimension, for example by clamp(0, size - 1): PyTorch raises for "
    "any other, compiled code reads the nearest element and leaves out a write"
)
_SMALLER = "{name} itself has not the memory for it: make the inputs smaller"
_PUT_BACK = (
    "keep what changes from call to call in tensors, lists, dicts, modules or optimizers that the "
    "program names: these are put back before each run, other objects are not"
)
_ALONE = "correct the program so that {name} runs it by itself"


def raised_by_program(error: Exception, framework: Framework, again: bool = False) -> FuselabError:
    """`error`, which the framework raised when it ran the program without the core. `again`: it had
    run the program before without raising."""
    if isinstance(error, FuselabError):
        return error
    name = _NAMES[framework]
    message = words_of(error)
    how = f"{name} itself, once more" if again else f"{name} itself"
    return ProgramRaises(
        f"run by {how}, the program raises {message}",
        line=line_of(error),
        remedy=_remedy(error, message, name, again),
        traceback=cut_traceback(error),
    )


def _remedy(error: Exception, message: str, name: str, again: bool) -> str:
    if name == _NAMES["torch"] and _OUT_OF_BOUNDS.search(message):
        return _KEEP_IN_BOUNDS
    if no_memory(message):
        return _SMALLER.format(name=name)
    return _PUT_BACK if again else remedy_of(error) or _ALONE.format(name=name)


def is_interrupt(error: BaseException) -> bool:
    """Whether the user interrupted the run: a KeyboardInterrupt that no `raise` of the snippet
    caused."""
    if not isinstance(error, KeyboardInterrupt):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not is_own(trace.tb_frame.f_code.co_filename):
        return True
    return trace.tb_frame.f_code.co_code[trace.tb_lasti] != dis.opmap["RAISE_VARARGS"]


def exit_error(end: SystemExit) -> SnippetError:
    """The error of a snippet, or of a program in it, that exits the process."""
    return SnippetError(
        f"the snippet ended itself with exit code {end.code!r}",
        line=line_of(end),
        remedy="remove the call of sys.exit()",
        traceback=cut_traceback(end),
    )


def fault_of(error: BaseException) -> FuselabError:
    """`error`, which ended a stage, as a FuselabError: an exit or interrupt that the snippet raised
    is the snippet's error; any other exception outside of the tree is a fault of the core."""
    if isinstance(error, Exception) or line_of(error) is None:
        return own_fault(error)
    if isinstance(error, SystemExit):
        return exit_error(error)
    return ProgramRaises(
        f"the program raises {sentence_of(error)}", line=line_of(error),
        remedy="raise an Exception, or nothing", traceback=cut_traceback(error),
    )  # fmt: skip
