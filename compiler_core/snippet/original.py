"""Removing the wrappers around a snippet's functions, by which they are recorded, cast, moved to a
device, or followed by their backward pass."""

from typing import Any


def original(value: Any) -> Any:
    """The snippet's own object inside all of its wrappers; `value` itself where it has none."""
    while (inner := _inside(value)) is not value:
        value = inner
    return value


def _inside(value: Any) -> Any:
    """What is in one wrapper. A function that another one wraps, as `jax.grad(f)` does f, has the
    attributes of f: those say nothing of itself."""
    inner = getattr(value, "fuselab_original", value)
    wrapped = getattr(value, "__wrapped__", None)
    return value if getattr(wrapped, "fuselab_original", None) is inner else inner
