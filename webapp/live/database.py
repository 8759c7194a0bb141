"""The database as sockets ask it: in one thread, over one connection that stays. Channels' own
`database_sync_to_async` opens one for every question."""

import functools
import time
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async

from webapp.connected import drop_broken

P = ParamSpec("P")
T = TypeVar("T")


def timed(what: Callable[P, T]) -> Callable[P, tuple[T, float]]:
    """`what`, with the milliseconds of a processor that it took."""

    @functools.wraps(what)
    def asked(*args: P.args, **kwargs: P.kwargs) -> tuple[T, float]:
        began = time.thread_time()
        return what(*args, **kwargs), 1e3 * (time.thread_time() - began)

    return asked


def in_database(what: Callable[P, T]) -> Callable[P, Awaitable[T]]:
    """`what`, to be awaited."""

    @functools.wraps(what)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return what(*args, **kwargs)
        finally:
            drop_broken()

    return sync_to_async(asked)
