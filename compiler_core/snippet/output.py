"""Streams what a snippet prints, and its warnings, as events."""

import contextlib
import io
import logging
import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Literal, TextIO

from compiler_core.report import Event, Notice, Noticed, Printed
from compiler_core.snippet.source import FILE, place

Emit = Callable[[Event], None]
# The place in torch's C++ that raises a warning.
_RAISED_AT = re.compile(r" ?\(Triggered internally at [^)]*\)")

# The most warnings of one category and line: a loop warns of each file that it left open.
_MOST_ALIKE = 5


class _Stream(io.TextIOBase):
    """Replaces sys.stdout or sys.stderr: lines become events. What is written while an event is
    emitted (the listener may print it) goes to the real stream."""

    def __init__(self, name: Literal["stdout", "stderr"], emit: Emit) -> None:
        self._name, self._emit, self._partial_line = name, emit, ""
        self._real: TextIO = getattr(sys, name)
        self._emitting = False

    encoding = "utf-8"

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._emitting:
            return self._real.write(text)
        self._partial_line += text
        if "\n" in self._partial_line:
            self.flush()
        return len(text)

    def flush(self) -> None:
        if self._partial_line:
            text, self._partial_line = self._partial_line, ""
            # What JSON cannot hold is shown as its escape.
            shown = text.encode("utf-8", "backslashreplace").decode("utf-8")
            self._emitting = True
            try:
                self._emit(Printed(self._name, shown))
            finally:
                self._emitting = False


@contextlib.contextmanager
def stream(emit: Emit) -> Iterator[None]:
    """Context in which prints and warnings are emitted as events: each warning of a line once, and
    at most a few of a line that differ only in their words."""
    seen: set[tuple[str, int | None]] = set()
    alike: Counter[tuple[str, int | None]] = Counter()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        at = lineno if filename == FILE else _here()
        text = f"{category.__name__}: {_RAISED_AT.sub('', str(message))}"
        if (text, at) in seen:
            return
        kind = (category.__name__, at)
        alike[kind] += 1
        if alike[kind] > _MOST_ALIKE + 1:
            return
        seen.add((text, at))
        rest = f"{category.__name__}: further ones of this line are left out"
        emit(Noticed(Notice("warning", text if alike[kind] <= _MOST_ALIKE else rest, at)))

    out, err = _Stream("stdout", emit), _Stream("stderr", emit)
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("default")
        _quiet_what_users_cannot_help()
        _set_showwarning(show)
        try:
            yield
        finally:
            out.flush()
            err.flush()


@contextlib.contextmanager
def suppress() -> Iterator[None]:
    """Context in which prints and warnings are discarded: for a program's further runs."""
    nowhere = io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def unlogged() -> Iterator[None]:
    """Context in which nothing is logged: torch logs graph breaks, and programs that it refuses,
    which are in the report. It is entered once around many calls: entering and leaving visit every
    logger, and there are thousands."""
    before = logging.root.manager.disable
    logging.disable()
    try:
        yield
    finally:
        logging.disable(before)


def _set_showwarning(show: Any) -> None:
    warnings.showwarning = show


def _quiet_what_users_cannot_help() -> None:
    """Deprecations inside libraries are not the snippet's; nor is it that what it compiles with
    flex_attention runs here as it is written, before it is compiled."""
    warnings.filterwarnings("ignore", message=r"flex_attention called without torch\.compile\(\)")
    for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
        warnings.filterwarnings("ignore", category=kind)
        warnings.filterwarnings("default", category=kind, module="__main__")


def _here() -> int | None:
    at = place()
    return at[0] if at else None


def notice(emit: Emit, text: str, line: int | None = None) -> None:
    """Emits a notice of level "info"."""
    emit(Noticed(Notice("info", text, line)))
