"""What an answer of several pieces is made by: few threads, however many read it slowly.

Django gives each request a thread, and the thread a connection to the database, until its answer
has been read.
"""

from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from asgiref.sync import sync_to_async

from webapp.connected import drop_broken

T = TypeVar("T")
_THREADS = ThreadPoolExecutor(2, thread_name_prefix="pieces")


async def on_own_threads(parts: Iterator[T]) -> AsyncIterator[T]:
    """Each of the parts, made in one of these threads, where the database may be asked."""

    def after() -> T | None:
        try:
            return next(parts, None)
        finally:
            drop_broken()

    asked = sync_to_async(after, thread_sensitive=False, executor=_THREADS)
    while (part := await asked()) is not None:
        yield part
