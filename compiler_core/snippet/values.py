"""The values that a text of inputs stands for: tensors, arrays and Python objects."""

import builtins
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from compiler_core.errors import SnippetError
from compiler_core.inputs import Arguments, InputSpec, Listed, Literal, Mapped, Named, New, Value

# Creates the tensor of a spec.
Make = Callable[[InputSpec], Any]
# Names that are known even if the snippet imports only parts of these packages.
_FRAMEWORKS = ("torch", "jax")


def built(
    arguments: Arguments, make: Make, names: types.ModuleType, parameters: Sequence[str] = ()
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """(args, kwargs) of a call. A name that the snippet does not define stands for another argument
    of the call, as in `update(Net(), torch.optim.SGD(net.parameters()))` for `update(net,
    optimizer)`: `parameters` are the names of the positional ones. Raises SnippetError for a name
    that neither has, and what the snippet's classes raise."""
    positional = zip(parameters, arguments.positional, strict=False)
    beside = _Beside({**dict(positional), **dict(arguments.keywords)}, make, names)
    args = tuple(
        beside[parameters[i]] if i < len(parameters) else value(each, make, names, beside)
        for i, each in enumerate(arguments.positional)
    )
    return args, {name: beside[name] for name, _ in arguments.keywords}


class _Beside(dict[str, Any]):
    """The arguments of one call by name, each built when it is first asked for."""

    def __init__(self, written: dict[str, Value], make: Make, names: types.ModuleType) -> None:
        super().__init__()
        self._written, self._make, self._names = written, make, names

    def __missing__(self, name: str) -> Any:
        written = self._written.pop(name)  # gone while it is built: it cannot name itself
        self[name] = value(written, self._make, self._names, self)
        return self[name]

    def has(self, name: str) -> bool:
        return name in self or name in self._written


def value(
    written: Value, make: Make, names: types.ModuleType, beside: "_Beside | None" = None
) -> Any:
    """The value that `written` stands for. Raises what `built` raises."""
    match written:
        case InputSpec():
            return make(written)
        case Literal():
            return written.value
        case Named():
            return _named(written.name, names, beside)
        case Listed():
            items = [value(each, make, names, beside) for each in written.items]
            return items if written.bracket == "[" else tuple(items)
        case Mapped():
            return {key.value: value(each, make, names, beside) for key, each in written.items}
        case New():
            own = written.arguments
            args = [value(each, make, names, beside) for each in own.positional]
            kwargs = {name: value(each, make, names, beside) for name, each in own.keywords}
            return _named(written.name, names, beside)(*args, **kwargs)


def _named(name: str, names: types.ModuleType, beside: _Beside | None) -> Any:
    first, *attributes = name.split(".")
    if first in vars(names):
        found = getattr(names, first)
    elif beside is not None and beside.has(first):
        found = beside[first]
    elif name == "SimpleNamespace":
        found = types.SimpleNamespace
    elif first in _FRAMEWORKS and first in sys.modules:
        found = sys.modules[first]
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
