"""Parameters of callables, by inspect.signature."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compiler_core.snippet.original import original

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameters(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters; an empty list where the callable has no signature."""
    # An nn.Module's own __call__ takes anything: its forward says what.
    fn = original(fn)
    target = getattr(fn, "forward", fn)
    try:
        return list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return []


def argument_names(fn: Callable[..., Any]) -> list[str]:
    """The names of the parameters that a call without keywords fills."""
    return [p.name for p in parameters(fn) if p.kind in _POSITIONAL]


def static_names(names: Sequence[str], options: Mapping[str, Any]) -> frozenset[str]:
    """The parameters, of those that positional arguments fill and any others, that a snippet tells
    jax.jit not to trace, by number or by name."""
    numbers = (n for n in options.get("static_argnums", ()) if -len(names) <= n < len(names))
    return frozenset((*options.get("static_argnames", ()), *(names[n] for n in numbers)))


def takes(fn: Callable[..., Any], count: int, named: Sequence[str] = ()) -> bool:
    """Whether a call with `count` positional arguments and those `named` fits."""
    try:
        inspect.Signature(parameters(fn)).bind(*range(count), **dict.fromkeys(named))
    except TypeError:
        return False
    return True
