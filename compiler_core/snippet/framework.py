"""Which framework a function belongs to, by the names that its code uses."""

import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from compiler_core.report import Framework

_ROOTS: dict[str, Framework] = {"torch": "torch", "jax": "jax", "jaxlib": "jax"}


def framework_of(fn: Callable[..., Any], module: ModuleType) -> Framework:
    """By the names that the function and the functions it calls use; if these are of neither or of
    both frameworks, by the snippet's imports, and torch if these do not tell."""
    used = list(_used(fn, set()))
    for counted in (used, list(_imported(module.__dict__.values()))):
        torch, jax = counted.count("torch"), counted.count("jax")
        if torch != jax:
            return "torch" if torch > jax else "jax"
    return "torch"


def root_of(value: Any) -> Framework | None:
    """The framework whose package a value belongs to; None if it is another."""
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
    function = inspect.unwrap(getattr(getattr(fn, "forward", fn), "__func__", fn))
    if id(function) in seen:
        return
    seen.add(id(function))
    root = root_of(function)
    if root is not None:
        yield root
        return
    if not isinstance(function, FunctionType):
        return
    for hint in getattr(function, "__annotations__", {}).values():
        yield from _imported([hint])
    for name in names_in(function.__code__):
        value = function.__globals__.get(name)
        root = root_of(value)
        if root is not None:
            yield root
        elif callable(value):
            yield from _used(value, seen)


def names_in(code: CodeType) -> Iterator[str]:
    """The globals and attributes that a function's code names, also in functions inside it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)
