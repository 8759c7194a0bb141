"""Tracebacks cut to the snippet's own frames."""

import re
import traceback

from compiler_core.snippet.source import is_own

# A path to Python's source, as in "tracing the function f at /usr/lib/x.py:12".
_FILE = re.compile(r"/[^\s:\"]+\.py\b")


def cut_traceback(error: BaseException) -> str:
    """The traceback as Python prints it, without frames of libraries and of the compiler."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_own(f.filename)]
    if not frames:
        return ""
    shown = "".join(traceback.StackSummary.from_list(frames).format())
    return f"Traceback (most recent call last):\n{shown}{_last(error)}".rstrip()


def _last(error: BaseException) -> str:
    """The exception itself, without what is noted beside it, as JAX does, and without lines that
    name other files than the snippet."""
    trace = traceback.TracebackException.from_exception(error)
    trace.__notes__ = None
    lines = "".join(trace.format_exception_only()).splitlines()
    return "\n".join(line for line in lines if not _FILE.search(line))
