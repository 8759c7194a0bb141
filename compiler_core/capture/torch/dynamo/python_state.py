"""A program's Python state: numbers in its modules and under its own names, and the contents of the
lists, dicts and sets that it reaches. Changes of it are undone between runs, and caches that the
snippet's functions have filled are cleared."""

from collections.abc import Callable, Iterable
from typing import Any

from compiler_core.snippet.circumstances import attributes, put_back
from compiler_core.snippet.contents import contents_of
from compiler_core.snippet.memos import Memos
from compiler_core.snippet.names import named_by, plain_of, reached_by


class PythonState:
    """The Python state of `fn`, which reaches `values` too, at construction. As a context it
    restores that at the end; `filled` then says whether the contents of lists, dicts or sets had
    changed."""

    def __init__(self, fn: Callable[..., Any], values: Iterable[Any]) -> None:
        self._plain = (*plain_of(fn), *named_by(fn), *attributes(fn))
        self._contents = contents_of((*reached_by(fn), *values))
        self._memos = Memos()
        self.filled = False

    def __enter__(self) -> "PythonState":
        return self

    def __exit__(self, *_: object) -> None:
        self.filled = self.restore()

    def restore(self) -> bool:
        """Restores the state; returns whether the contents of containers had changed."""
        self._memos.forget()
        put_back(self._plain)
        return put_back(self._contents)
