"""What each guard is on and which line of the snippet made it, which Dynamo's text of a guard
leaves out."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import BuiltinFunctionType, MappingProxyType, ModuleType
from typing import Any

from compiler_core.snippet.source import is_own

_CLASS = re.compile(r"<class '(?:__main__\.)?(?P<name>.+)'>")
_NAMED = re.compile(r"<(?:module|function|built-in function|code object) '?(?P<name>[^\s'>]+).*>")
_LOCAL = re.compile(r".*<locals>\.")


@dataclass(frozen=True)
class Guarded:
    """The snippet's line that made a guard, directly or through what it calls, and the name of the
    guarded object, "" if it has none."""

    line: int | None = None
    name: str = ""


@dataclass(frozen=True)
class Heard:
    """What was recorded of guards when they were made, by Dynamo's text of each."""

    by_text: dict[str, Guarded] = field(default_factory=dict)

    def hear(self, texts: Sequence[str], stack: Sequence[Any], on: Any) -> None:
        """Records one guard."""
        own = [f.lineno for f in stack if is_own(f.filename)]
        found = Guarded(own[-1] if own else None, name_of(on))
        self.by_text.update(dict.fromkeys(texts, found))


NOTHING: Mapping[str, Guarded] = MappingProxyType({})


def name_of(value: object) -> str:
    """The name of a function, a class or a module; "" for any other value."""
    if isinstance(value, ModuleType):
        return value.__name__
    if isinstance(value, BuiltinFunctionType):  # torch's are methods of classes without a name
        return value.__name__
    return _LOCAL.sub("", getattr(value, "__qualname__", ""))


def named(shown: str) -> str:
    """The guarded object in words, from what a guard's text shows of it: its class, or, by torch
    2.11, the object itself."""
    if found := _CLASS.fullmatch(shown):
        return f"of type {found['name']}"
    found = _NAMED.fullmatch(shown)
    return found["name"] if found else shown
