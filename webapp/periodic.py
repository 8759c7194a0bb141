"""Something that a process does again and again, in a thread of its own."""

import logging
import threading
from collections.abc import Callable

from django.db import Error as DatabaseError
from django.db import connections
from redis.exceptions import RedisError

from webapp.connected import drop_broken

log = logging.getLogger(__name__)

_GOODBYE_S = 2.0


class Periodic:
    """Calls `what` every `seconds`, the first time at once, until it is stopped; then `goodbye`. A
    database or a Redis that cannot be reached is logged, and asked again the next time."""

    def __init__(
        self,
        name: str,
        seconds: float,
        what: Callable[[], object],
        goodbye: Callable[[], object] = lambda: None,
    ) -> None:
        self._name, self._seconds = name, seconds
        self._what, self._goodbye = what, goodbye
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._repeat, name=name, daemon=True)

    def start(self) -> None:
        """Starts the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the thread, after what it is doing."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(timeout=_GOODBYE_S)

    def _repeat(self) -> None:
        while not self._stop.is_set():
            self._attempt(self._what)
            self._stop.wait(self._seconds)
        self._attempt(self._goodbye)
        connections.close_all()

    def _attempt(self, what: Callable[[], object]) -> None:
        try:
            what()
        except (RedisError, DatabaseError) as error:
            log.warning("%s: %s", self._name, error)
        except Exception:
            log.exception("%s", self._name)
        finally:
            drop_broken()
