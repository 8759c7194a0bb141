"""Caches of a snippet's functions (functools.cache, lru_cache). A trace would leave tensors without
values there for later calls, so caches that a run has filled are cleared after it."""

import sys
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import Any

_REMEMBERS = type(lru_cache(lambda: None))


class Memos:
    """The caches of the snippet's functions and of its classes' methods, at construction; the
    snippet is `__main__` unless a module is given."""

    def __init__(self, module: ModuleType | None = None) -> None:
        names = vars(module or sys.modules["__main__"])
        self._filled = {fn: fn.cache_info().misses for fn in _remembering(names)}

    def forget(self) -> None:
        """Clears the caches that were filled since construction."""
        for fn, before in self._filled.items():
            if fn.cache_info().misses != before:
                fn.cache_clear()
                self._filled[fn] = 0


def _remembering(names: dict[str, Any]) -> Iterator[Any]:
    for value in list(names.values()):
        own = isinstance(value, type) and value.__module__ == "__main__"
        for each in (value, *(vars(value).values() if own else ())):
            if isinstance(each, _REMEMBERS):
                yield each
