"""What was made is kept for whoever asks next, by how large it is and not by how many there are:
what a stranger gives may be made into megabytes."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
# Two texts that are the same take one place; who asks at the same moment makes it twice.
Maker = Callable[[str], V]


class LruCache(Generic[K, V]):
    """Values by their keys, of at most `most` bytes together: the least recently used go first.
    `size` is about how many bytes a key and its value have."""

    def __init__(self, most: int, size: Callable[[K, V], int]) -> None:
        self._size, self._most, self._room = size, most, most
        self._values: OrderedDict[K, V] = OrderedDict()
        # Requests are answered in threads.
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value of `key`, which is now the most recently used; None if there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Stores it in place of what `key` had, unless it alone is larger than the cache."""
        size = self._size(key, value)
        with self._lock:
            if key in self._values:
                self._room += self._size(key, self._values.pop(key))
            if size > self._most:
                return
            self._values[key] = value
            self._room -= size
            while self._room < 0:
                self._room += self._size(*self._values.popitem(last=False))


def lru_cached(most: int, size: Callable[[Any], int]) -> Callable[[Maker[V]], Maker[V]]:
    """A decorator of a function of a text, which returns no None: what it returned lately, of at
    most `most` bytes together with the texts; `size` is how many a value has, about."""

    def decorate(make: Maker[V]) -> Maker[V]:
        values = LruCache[str, V](most, lambda text, value: len(text) + size(value))

        def cached(text: str) -> V:
            value = values.get(text)
            if value is None:
                value = make(text)
                values.put(text, value)
            return value

        return cached

    return decorate
