"""Tracebacks cut to the snippet's own frames."""

import traceback

from compiler_core.snippet.source import is_own


def cut_traceback(error: BaseException) -> str:
    """The traceback as Python prints it, without frames of libraries and of the compiler."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_own(f.filename)]
    if not frames:
        return ""
    shown = "".join(traceback.StackSummary.from_list(frames).format())
    last = "".join(traceback.format_exception_only(error))
    return f"Traceback (most recent call last):\n{shown}{last}".rstrip()
