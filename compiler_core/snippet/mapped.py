"""jax.pmap as a map over one axis: on a single device, the mapped axis has one element."""

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

from compiler_core.snippet.naming import name_of

Call = Callable[..., Any]


def mapped(fun: Call, static: tuple[int, ...], options: Mapping[str, Any]) -> Call:
    """`fun` under jax.vmap with `options`, by the name that `fun` has: to whoever wrote it, the map
    is how it is compiled, as jax.jit is. The arguments at positions `static` are values and not
    mapped over."""
    run = _beside(fun, static, options) if static else _vmap(fun, options)

    @functools.wraps(fun)
    def over(*args: Any, **kwargs: Any) -> Any:
        return run(*args, **kwargs)

    over.__name__ = name_of(fun)
    return over


def _vmap(fun: Call, options: Mapping[str, Any]) -> Call:
    result: Call = sys.modules["jax"].vmap(fun, **options)
    return result


def _beside(fun: Call, static: tuple[int, ...], options: Mapping[str, Any]) -> Call:
    axes = options.get("in_axes", 0)

    def over(*args: Any) -> Any:
        given = [i for i in range(len(args)) if i not in static]

        def of_given(*inner: Any) -> Any:
            known = dict(zip(given, inner, strict=True))
            return fun(*(known.get(i, x) for i, x in enumerate(args)))

        own = tuple(axes if isinstance(axes, int) else axes[i] for i in given)
        return _vmap(of_given, {**options, "in_axes": own})(*(args[i] for i in given))

    return over
