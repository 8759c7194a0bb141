"""The values that a text of inputs stands for: tensors, arrays and Python objects."""

import builtins
import types
from collections.abc import Callable
from typing import Any

from compiler_core.errors import SnippetError
from compiler_core.inputs import Arguments, InputSpec, Listed, Literal, Mapped, Named, New, Value

# What gives a spec its tensor.
Make = Callable[[InputSpec], Any]


def built(
    arguments: Arguments, make: Make, names: types.ModuleType
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments and keyword arguments of a call. Raises SnippetError for a name that the
    snippet does not define, and what its classes raise."""
    args = tuple(value(each, make, names) for each in arguments.positional)
    return args, {name: value(each, make, names) for name, each in arguments.keywords}


def value(written: Value, make: Make, names: types.ModuleType) -> Any:
    """One value. Raises as `built` does."""
    match written:
        case InputSpec():
            return make(written)
        case Literal():
            return written.value
        case Named():
            return _named(written.name, names)
        case Listed():
            items = [value(each, make, names) for each in written.items]
            return items if written.bracket == "[" else tuple(items)
        case Mapped():
            return {key.value: value(each, make, names) for key, each in written.items}
        case New():
            args, kwargs = built(written.arguments, make, names)
            return _named(written.name, names)(*args, **kwargs)


def _named(name: str, names: types.ModuleType) -> Any:
    first, *attributes = name.split(".")
    if first in vars(names):
        found = getattr(names, first)
    elif name == "SimpleNamespace":
        found = types.SimpleNamespace
    elif hasattr(builtins, first):
        found = getattr(builtins, first)
    else:
        raise SnippetError(
            f"the inputs name {first}, which the snippet does not define",
            remedy="define it in the snippet, or give a tensor such as f32[32,512]",
        )
    for attribute in attributes:
        found = getattr(found, attribute)
    return found
