"""What has to be stored is tried until the database takes it: it may be locked, full, or away."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import close_old_connections

from webapp import away

log = logging.getLogger(__name__)

# Seconds between two attempts: each pause is twice the last one.
_FIRST_S, _LONGEST_S = 0.1, 5.0

T = TypeVar("T")


class NotStored(Exception):
    """The worker ends before the database answered."""


def until_stored(what: Callable[[], T], stopping: Callable[[], bool]) -> T:
    """What `what` returns, once the database answers it. Raises NotStored if the worker is
    `stopping` and it still does not."""
    pause = _FIRST_S
    while True:
        try:
            return what()
        except away.DATABASE as error:
            if stopping():
                raise NotStored from error
            log.warning("the database did not take it, tried again in %.1f s: %s", pause, error)
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_S)
        # A connection that broke is opened again.
        close_old_connections()
