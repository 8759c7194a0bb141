"""What a program keeps in Python beside tensors: numbers of its modules and of its own names, and
what is in the lists, dicts and sets that it reaches. What it changes of that is undone between its
runs, and what the snippet's functions have begun to remember is forgotten."""

from collections.abc import Callable, Iterable
from typing import Any

from compiler_core.snippet.circumstances import attributes, put_back
from compiler_core.snippet.contents import contents_of
from compiler_core.snippet.memos import Memos
from compiler_core.snippet.names import named_by, plain_of, reached_by


class PythonState:
    """That of `fn`, which reaches `values` too, at construction. After it as a context it is that
    again; `filled` then says whether lists, dicts or sets had other items."""

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
        """Puts it back; whether containers had other items."""
        self._memos.forget()
        put_back(self._plain)
        return put_back(self._contents)
