"""Which instruction of the snippet was being executed at a given time: recorded in one traced call,
which tracing slows down."""

import sys
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from compiler_core.snippet.source import Place, is_own, place_in

# Of a program that runs more of them, the later places are not known.
_MOST = 1_000_000
_MONITORING: Any = getattr(sys, "monitoring", None)
# One that Python leaves to whoever wants it: 0, 1, 2 and 5 have names.
_TOOL = 4


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
        """Context in which frames of the snippet are traced that this thread enters."""
        traced = _by_trace if _MONITORING is None else _by_monitoring
        with traced(self._begun):
            yield

    def _begun(self, code: CodeType, lasti: int) -> None:
        if len(self._ns) < _MOST:
            self._ns.append(time.perf_counter_ns())
            self._at.append((code, lasti))


# Is given each instruction of the snippet before it is executed, by its code and its offset.
Begun = Callable[[CodeType, int], None]


@contextmanager
def _by_trace(begun: Begun) -> Iterator[None]:
    def entered(frame: FrameType, event: str, argument: Any) -> Any:
        if not is_own(frame.f_code.co_filename):
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return goes_on

    def goes_on(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "opcode":
            begun(frame.f_code, frame.f_lasti)
        return goes_on

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        yield
    finally:
        sys.settrace(before)


@contextmanager
def _by_monitoring(begun: Begun) -> Iterator[None]:
    """Since Python 3.12, where code is made ready for tracing as it is entered: a trace function
    that asks for instructions then misses those of the frame that it was called for."""
    own = threading.get_ident()

    def instruction(code: CodeType, offset: int) -> Any:
        if not is_own(code.co_filename):
            return _MONITORING.DISABLE
        if threading.get_ident() == own:
            begun(code, offset)
        return None

    if _MONITORING.get_tool(_TOOL) is not None:  # the snippet's own tool goes on, without ours
        yield
        return
    event = _MONITORING.events.INSTRUCTION
    _MONITORING.use_tool_id(_TOOL, "fuselab")
    _MONITORING.register_callback(_TOOL, event, instruction)
    _MONITORING.set_events(_TOOL, event)
    try:
        yield
    finally:
        _MONITORING.set_events(_TOOL, 0)
        _MONITORING.register_callback(_TOOL, event, None)
        _MONITORING.free_tool_id(_TOOL)
