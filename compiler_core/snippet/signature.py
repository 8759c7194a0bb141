"""Parameters of callables, by inspect.signature."""

import inspect
from collections.abc import Callable
from typing import Any

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameters(fn: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters; an empty list where the callable has no signature."""
    # An nn.Module's own __call__ takes anything: its forward says what.
    fn = getattr(fn, "fuselab_original", fn)
    target = getattr(fn, "forward", fn)
    try:
        return list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        return []


def argument_names(fn: Callable[..., Any]) -> list[str]:
    """The names of the parameters that a call without keywords fills."""
    return [p.name for p in parameters(fn) if p.kind in _POSITIONAL]


def takes(fn: Callable[..., Any], count: int) -> bool:
    """Whether a call with `count` positional arguments fits."""
    known = parameters(fn)
    positional = [p for p in known if p.kind in _POSITIONAL]
    required = [p for p in known if p.default is p.empty and p.kind in _POSITIONAL]
    keyword_only = [p for p in known if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    any_number = any(p.kind is p.VAR_POSITIONAL for p in known)
    most = count if any_number else len(positional)
    return len(required) <= count <= most and not keyword_only
