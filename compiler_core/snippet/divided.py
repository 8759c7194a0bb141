"""jax.pmap and jax.shard_map while a snippet runs: the functions that they return are compiled when
called, as those of jax.jit are."""

import functools
import importlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from compiler_core.snippet.compiled import Call, from_snippet
from compiler_core.snippet.source import Source

Replacement = tuple[Any, str, Callable[[Any], Call]]


def replacements(source: Source, of_pmap: Call, of_shard_map: Call) -> Iterator[Replacement]:
    """(owner, name, replacement) for each of the two functions that the snippet may call.
    `of_pmap(real, axis_name, options, fun)` and `of_shard_map(real, options, *args)` return what
    the snippet gets instead."""
    jax = importlib.import_module("jax")
    yield jax, "pmap", functools.partial(_pmap, of_pmap)
    if "shard_map" in source.text:
        yield jax, "shard_map", functools.partial(_shard_map, of_shard_map)
        older = importlib.import_module("jax.experimental.shard_map")
        yield older, "__getattr__", functools.partial(_older, of_shard_map)


def _pmap(make: Call, real: Call) -> Call:
    @functools.wraps(real)
    def pmap(fun: Any = None, axis_name: Any = None, **options: Any) -> Any:
        if not from_snippet():
            return real(fun, axis_name, **options)
        if fun is None:
            return functools.partial(make, real, axis_name, options)
        return make(real, axis_name, options, fun)

    return pmap


def _shard_map(make: Call, real: Call) -> Call:
    @functools.wraps(real)
    def shard_map(*args: Any, **options: Any) -> Any:
        if not from_snippet():
            return real(*args, **options)
        if not args and "f" not in options:
            return functools.partial(make, real, options)
        return make(real, options, *args)

    return shard_map


def _older(make: Call, real: Call) -> Call:
    """jax.experimental.shard_map gives its function by name, with a warning: to the snippet's line,
    which asks for it."""

    def attribute(name: str) -> Any:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = real(name)
        for each in said:
            warnings.warn(each.message, stacklevel=2)
        return _shard_map(make, found) if name == "shard_map" else found

    return attribute
