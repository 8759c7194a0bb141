"""Which functions are the same although each is a new object, such as `jax.grad(self.loss)` in a
loop."""

from types import FunctionType, MethodType
from typing import Any

from compiler_core.snippet.circumstances import PLAIN, Closure

_DEEPEST = 8


def identity_of(value: Any, depth: int = 0) -> Any:
    """A key that is equal for functions with the same code that close over the same values, and for
    methods of the same object; any value that is no function, number or string is identified by
    itself. Valid as long as the values live."""
    if isinstance(value, PLAIN) or value is None:
        return type(value), value
    if isinstance(value, MethodType):
        return id(value.__self__), identity_of(value.__func__, depth)
    if isinstance(value, tuple) and depth < _DEEPEST:
        return tuple(identity_of(each, depth + 1) for each in value)
    if isinstance(value, FunctionType) and depth < _DEEPEST:
        captured = (identity_of(each, depth + 1) for each in Closure(value).values())
        given = identity_of(value.__defaults__, depth + 1)
        return id(value.__code__), given, *captured
    return id(value)
