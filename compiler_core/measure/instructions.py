"""Which instruction of the snippet was being executed at a given time: recorded in one traced call,
which tracing slows down."""

import sys
import time
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from compiler_core.snippet.source import Place, is_own, place_in

# Of a program that runs more of them, the later places are not known.
_MOST = 1_000_000


@dataclass
class Instructions:
    """The instructions of the snippet that were executed, each with its time by
    time.perf_counter_ns."""

    _ns: list[int] = field(default_factory=list)
    _at: list[tuple[CodeType, int]] = field(default_factory=list)

    def place(self, ns: int) -> Place | None:
        """Line and column, both from 1, of the last instruction begun before a time."""
        at = bisect_right(self._ns, ns) - 1
        if at < 0 or len(self._ns) == _MOST:
            return None
        return place_in(*self._at[at])

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Context in which frames of the snippet are traced as they are entered."""
        before = sys.gettrace()
        sys.settrace(self._entered)
        try:
            yield
        finally:
            sys.settrace(before)

    def _entered(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not is_own(frame.f_code.co_filename):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._goes_on

    def _goes_on(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode" and len(self._ns) < _MOST:
            self._ns.append(time.perf_counter_ns())
            self._at.append((frame.f_code, frame.f_lasti))
        return self._goes_on
