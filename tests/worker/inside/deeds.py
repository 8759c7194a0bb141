"""Stands in for the compiler in tests of the sandbox: the source is Python that it runs as it is.

`emit`, `say` (a notice with its text), `lease` and `stream` (the raw socket) are at hand. It needs
no torch, so that a server of it is warm at once; the walls around it are the real ones.
"""

import os
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager

from compiler_core.report import (
    Device,
    Event,
    Finished,
    Notice,
    Noticed,
    Options,
    Snippet,
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
    lease: Callable[[str], AbstractContextManager[None]],
) -> None:
    emit(Started(Snippet("", source), {}, Device(), options))

    def say(text: object) -> None:
        emit(Noticed(Notice("info", str(text))))

    stream = socket.socket(fileno=os.dup(3))
    names = {"emit": emit, "say": say, "lease": lease, "stream": stream, "warm_in": _warm_in}
    exec(compile(source, "<deed>", "exec"), names)
    emit(Finished())
