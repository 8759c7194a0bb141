"""The arguments of an ATen operation, as its schema has them."""

from collections.abc import Sequence
from typing import Any


def called(func: Any, args: Sequence[Any]) -> Any:
    """`func` of all of its arguments, in the order of its schema."""
    positional, named = divided(func, args)
    return func(*positional, **named)


def divided(func: Any, args: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
    """All arguments of an operation, split into positional ones and keyword ones."""
    known = list(zip(func._schema.arguments, args, strict=True))
    positional = [value for a, value in known if not a.kwarg_only]
    return positional, {a.name: value for a, value in known if a.kwarg_only}
