"""What was made is kept for whoever asks next, by how large it is and not by how many there are:
what a stranger gives may be made into megabytes."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
# Two texts that are the same take one place; who asks at the same moment makes it twice.
Made = Callable[[str], V]


class Kept(Generic[K, V]):
    """Values by what they were made of, of at most `most` bytes together; those that nobody asked
    for the longest go first. `size` is how many a value has with its key, about."""

    def __init__(self, most: int, size: Callable[[K, V], int]) -> None:
        self._size, self._most, self._room = size, most, most
        self._values: OrderedDict[K, V] = OrderedDict()
        # Requests are answered in threads.
        self._lock = Lock()

    def of(self, key: K) -> V | None:
        """What is kept of it."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def keep(self, key: K, value: V) -> None:
        """Keeps it, unless it alone is more than is kept of all, or is kept already."""
        size = self._size(key, value)
        with self._lock:
            if size > self._most or key in self._values:
                return
            self._values[key] = value
            self._room -= size
            while self._room < 0:
                self._room += self._size(*self._values.popitem(last=False))


def kept(most: int, size: Callable[[Any], int]) -> Callable[[Made[V]], Made[V]]:
    """A decorator of a function of a text, which returns no None: what it returned lately, of at
    most `most` bytes together with the texts; `size` is how many a value has, about."""

    def decorate(make: Made[V]) -> Made[V]:
        values = Kept[str, V](most, lambda text, value: len(text) + size(value))

        def made(text: str) -> V:
            value = values.of(text)
            if value is None:
                value = make(text)
                values.keep(text, value)
            return value

        return made

    return decorate
