"""jax.pmap as a map over one axis: on a single device, the mapped axis has one element."""

import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any


def mapped(
    fun: Callable[..., Any], static: tuple[int, ...], options: Mapping[str, Any]
) -> Callable[..., Any]:
    """`fun` under jax.vmap with `options`; the arguments at positions `static` are values and not
    mapped over."""
    vmap = sys.modules["jax"].vmap
    if not static:
        result: Callable[..., Any] = vmap(fun, **options)
        return result
    axes = options.get("in_axes", 0)

    @functools.wraps(fun)
    def over(*args: Any) -> Any:
        given = [i for i in range(len(args)) if i not in static]

        def of_given(*inner: Any) -> Any:
            known = dict(zip(given, inner, strict=True))
            return fun(*(known.get(i, x) for i, x in enumerate(args)))

        own = tuple(axes if isinstance(axes, int) else axes[i] for i in given)
        return vmap(of_given, **{**options, "in_axes": own})(*(args[i] for i in given))

    return over
