"""Stands in for the compiler in tests of the sandbox: the source is Python that it runs as it is.

`emit`, `say` (a notice with its text), `show` (an IR), `lease` and `stream` (the raw socket) are at
hand. It needs
no torch, so that a server of it is warm at once; the walls around it are the real ones.
"""

import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager

from compiler_core.report import (
    Artifact,
    Device,
    Entry,
    Event,
    Finished,
    Notice,
    Noticed,
    Options,
    ProgramFound,
    Snippet,
    Stage,
    StageBegan,
    StageDone,
    Started,
)

_warm_in: list[int] = []


def warm() -> None:
    """Remembers where it was called, so that a test can see that runners come of the server."""
    _warm_in.append(os.getpid())


def explore(
    source: str,
    options: Options,
    emit: Callable[[Event], None],
    *,
    lease: Callable[[str], AbstractContextManager[Callable[[], None]]],
    time_left: Callable[[], float],
) -> None:
    emit(Started(Snippet("", source), {}, Device(), options))

    def say(text: object) -> None:
        emit(Noticed(Notice("info", str(text))))

    def show() -> None:
        emit(ProgramFound(0, "f", "torch", Entry(), []))
        emit(StageBegan(0, "capture"))
        emit(StageDone(0, Stage("capture", "ok", 1.0, [Artifact("ir", "ir", "text", "graph")])))

    stream = socket.socket(fileno=os.dup(3))
    names = {"emit": emit, "say": say, "show": show, "lease": lease, "stream": stream}
    names |= {"warm_in": _warm_in, "time_left": time_left}
    exec(compile(source, "<deed>", "exec"), names)
    emit(Finished())
