"""Executes a snippet as Python runs a script; an exception becomes a SnippetError."""

import builtins
import contextlib
import signal
import sys
from collections.abc import Iterator
from types import ModuleType

from compiler_core.errors import SnippetError
from compiler_core.report import Failure
from compiler_core.snippet.modes import without_dispatch_modes
from compiler_core.snippet.raised import exit_error, is_interrupt
from compiler_core.snippet.remedies import no_memory, remedy_of, words_of
from compiler_core.snippet.source import FILE, Source, line_of
from compiler_core.snippet.traces import cut_traceback

_CORRECT = "correct the snippet: Python raises this wherever it runs"


def execute(source: Source, module: ModuleType) -> SnippetError | None:
    """Runs the snippet in `module`, which is `__main__` meanwhile; returns its error, or None.

    A person's KeyboardInterrupt passes through.
    """
    code = source.compile()
    with as_main(module), _without_alarms(), without_dispatch_modes():
        try:
            with _built_in_names_kept():
                exec(code, module.__dict__)
        except SystemExit as end:
            return None if end.code in (None, 0) else exit_error(end)
        except BaseException as error:
            if is_interrupt(error):
                raise
            return snippet_error(error)
    return None


@contextlib.contextmanager
def _built_in_names_kept() -> Iterator[None]:
    """Context after which each of Python's built-in names means again what it did: whatever is
    computed then uses them. Those that were added stay."""
    names = vars(builtins)
    before = dict(names)
    try:
        yield
    finally:
        names.update(before)


@contextlib.contextmanager
def _without_alarms() -> Iterator[None]:
    """Context after which no alarm goes off that was set meanwhile: what it raises would end
    whatever is computed then."""
    before = signal.getitimer(signal.ITIMER_REAL)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *before)


def new_module() -> ModuleType:
    """An empty module named `__main__`, for a snippet to run in."""
    module = ModuleType("__main__")
    module.__file__ = FILE
    return module


@contextlib.contextmanager
def as_main(module: ModuleType | None) -> Iterator[None]:
    """Context in which `module` is sys.modules["__main__"], and was started without arguments:
    dataclasses, pickle and TorchDynamo look up the module of a class or function by name, and a
    snippet may read those that a command line has."""
    if module is None:
        yield
        return
    before, arguments = sys.modules["__main__"], sys.argv
    sys.modules["__main__"], sys.argv = module, [FILE]
    try:
        yield
    finally:
        sys.modules["__main__"], sys.argv = before, arguments


def snippet_error(error: BaseException) -> SnippetError:
    """An exception that the snippet raised, as a SnippetError with the snippet's line and
    traceback, of which it is the cause."""
    found = _snippet_error(error)
    found.__cause__ = error
    return found


def _snippet_error(error: BaseException) -> SnippetError:
    line, trace = line_of(error), cut_traceback(error)
    if isinstance(error, ModuleNotFoundError) and error.name:
        message, remedy = absent(error.name)
        return SnippetError(message, line=line, remedy=remedy, traceback=trace)
    message = words_of(error)
    remedy = "make its tensors smaller" if no_memory(message) else remedy_of(error) or _CORRECT
    if isinstance(error, RecursionError):
        message = "the snippet calls itself without end"
    return SnippetError(message, line=line, remedy=remedy, traceback=trace)


def absent(module: str) -> tuple[str, str]:
    """The sentence and the remedy for a package that is not installed, or for a file that the
    snippet imports."""
    if module.startswith("."):
        return f"{module} is another file, and a snippet is one", "paste what is used of it as well"
    package = module.partition(".")[0]
    return (
        f"{package} is not installed here: beside PyTorch and JAX a snippet may import NumPy, "
        "SciPy, einops and optax",
        f"write in the snippet what it needs of {package}, or install {package} in Fuselab's "
        "environment",
    )


def failure(error: SnippetError | None) -> Failure | None:
    """The error as a Failure of the report."""
    return error.failure() if error else None
