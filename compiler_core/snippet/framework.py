"""Which framework a function belongs to, by the names that its code uses."""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, ModuleType
from typing import Any

from compiler_core.report import Framework

_ROOTS: dict[str, Framework] = {"torch": "torch", "jax": "jax", "jaxlib": "jax"}


def framework_of(fn: Callable[..., Any], module: ModuleType) -> Framework:
    """The framework whose names the function uses; if that is undecided, the one that the snippet
    imports; else torch."""
    return named_framework(fn) or _more_of(_imported(module.__dict__.values())) or "torch"


def named_framework(fn: Callable[..., Any]) -> Framework | None:
    """The framework whose names the function and the functions that it calls use; None if it uses
    neither or both equally."""
    return _more_of(_used(fn, set()))


def _more_of(found: Iterator[Framework]) -> Framework | None:
    counted = list(found)
    torch, jax = counted.count("torch"), counted.count("jax")
    if torch == jax:
        return None
    return "torch" if torch > jax else "jax"


def root_of(value: Any) -> Framework | None:
    """The framework whose package a value belongs to; None for any other package."""
    if isinstance(value, ModuleType):
        name = value.__name__
    else:
        name = getattr(value, "__module__", None) or type(value).__module__
        name = name if name != "__main__" else type(value).__module__
    return _ROOTS.get(str(name).partition(".")[0])


def _imported(values: Any) -> Iterator[Framework]:
    yield from filter(None, map(root_of, list(values)))


def _used(fn: Any, seen: set[int]) -> Iterator[Framework]:
    """The frameworks of the names in a function's code, and in that of the functions it calls."""
    function = _function_of(fn)
    if id(function) in seen:
        return
    seen.add(id(function))
    root = root_of(function)
    if root is not None:
        yield root
        return
    if not isinstance(function, FunctionType):
        return
    yield from _imported(getattr(function, "__annotations__", {}).values())
    for value in _named(function):
        root = root_of(value)
        if root is not None:
            yield root
        elif callable(value):
            yield from _used(value, seen)


def _function_of(fn: Any) -> Any:
    """The function that a call of `fn` ends in: of a module, a method, a partial call, an object
    that can be called."""
    while isinstance(fn, functools.partial):
        fn = fn.func
    fn = getattr(fn, "forward", fn)
    own = type(fn).__dict__.get("__call__")
    return inspect.unwrap(own if isinstance(own, FunctionType) else getattr(fn, "__func__", fn))


def _named(function: FunctionType) -> Iterator[Any]:
    """The values of the globals and of the enclosing functions' variables that its code names."""
    for name in names_in(function.__code__):
        yield function.__globals__.get(name)
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # not yet assigned
            yield cell.cell_contents


def names_in(code: CodeType) -> Iterator[str]:
    """The globals and attributes that a function's code names, also in functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)
