"""How often each line of the snippet is executed."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from compiler_core.snippet.source import FILE


@contextmanager
def counted_lines() -> Iterator[Counter[int]]:
    """Context in which the counter is filled, by line from 1."""
    lines: Counter[int] = Counter()

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename != FILE:
            return None
        if event == "line":
            lines[frame.f_lineno] += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(before)
