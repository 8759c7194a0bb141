"""What the names in a function's code stand for, in the snippet, in its closure, and in the
snippet's functions that it calls. A notebook rebinds `W` and `net` again and again; a program uses
what they were when it was called."""

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from compiler_core.snippet.circumstances import PLAIN, Binding, Closure, Flags, Space, flags_of
from compiler_core.snippet.contents import content_of
from compiler_core.snippet.source import FILE

# The most functions of the snippet that are followed from one function.
_MOST = 200


def plain_of(fn: Any) -> Iterator[Binding]:
    """The numbers, flags and texts that a function names or closes over; of a module, or of the
    object that a method is of, its attributes as well."""
    owner = _owner(fn)
    if owner is not None:
        names = [n for n in vars(owner) if n != "training" and not n.startswith("_")]
        yield from _those(vars(owner), names)
    for space, names in _named(fn):
        yield from _those(space, names)
        yield from flags_of(space.get(name) for name in names)


def named_by(fn: Any) -> Flags:
    """The other values that a function's names stand for: tensors, modules, optimizers, functions,
    and the submodules of modules among them and of the module that it belongs to. Imported modules
    are left out."""
    named = tuple(
        (space, name, space[name])
        for space, names in _named(fn)
        for name in names
        if name in space and not isinstance(space[name], (*PLAIN, ModuleType))
    )
    return *named, *_children_of((_owner(fn), *(value for _, _, value in named)))


def _children_of(values: Iterable[Any]) -> Iterator[Binding]:
    """The modules that each of torch's modules has in it now."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    nets = [value for value in values if isinstance(value, torch.nn.Module)]
    every = {id(module): module for net in nets for module in net.modules()}
    yield from (content_of(module._modules) for module in every.values() if module._modules)


def reached_by(fn: Any) -> Iterator[Any]:
    """The values that a function names, closes over or has as defaults, and the module or object
    that it belongs to."""
    owner, function = _owner(fn), _function(fn)
    yield from () if owner is None else (owner,)
    yield from getattr(function, "__defaults__", None) or ()
    yield from (getattr(function, "__kwdefaults__", None) or {}).values()
    for space, names in _named(fn):
        yield from (space[name] for name in names if name in space)


def _owner(fn: Any) -> Any:
    owner = getattr(fn, "__self__", fn)
    return owner if not hasattr(owner, "__code__") and hasattr(owner, "__dict__") else None


def _function(fn: Any) -> Any:
    """The function of the snippet within a module, a transformation or a partial."""
    while isinstance(fn, partial):
        fn = fn.func
    return unwrap(getattr(type(fn), "forward", fn))


def _named(fn: Any) -> Iterator[tuple[Space, list[str]]]:
    """The namespaces of a function and of the snippet's functions that it reaches, and what each
    names of its own."""
    waiting, met = [_function(fn)], set[int]()
    while waiting and len(met) < _MOST:
        function = waiting.pop()
        code = getattr(function, "__code__", None)
        if code is None or id(function) in met:
            continue
        met.add(id(function))
        for space, names in _spaces(function, code):
            yield space, names
            waiting += [space[name] for name in names if _is_of_snippet(space.get(name))]


def _spaces(function: Any, code: CodeType) -> Iterator[tuple[Space, list[str]]]:
    yield function.__globals__, _names(code)
    if isinstance(function, FunctionType):
        closure = Closure(function)
        yield closure, list(closure)


def _is_of_snippet(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__code__.co_filename == FILE


def _those(space: Space, names: Any) -> Iterator[Binding]:
    for name in names:
        if isinstance(value := space.get(name), PLAIN):
            yield space, name, value


def _names(code: CodeType) -> list[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return list(dict.fromkeys([*code.co_names, *(n for c in inner for n in _names(c))]))
