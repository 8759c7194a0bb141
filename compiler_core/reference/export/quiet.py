"""How torch.export is called: without what it logs, and with the time that it takes."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent() -> Iterator[None]:
    """Without what torch logs of a program that it refuses: the report says that once."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        yield
    finally:
        logging.disable(before)


def ms_since(begin: float) -> float:
    """Milliseconds since a time of time.perf_counter."""
    return (time.perf_counter() - begin) * 1e3
