"""Calls of `explore` that are the caller's mistake, before anything is compiled."""

import inspect
import reprlib
from typing import Any

from compiler_core import report

# What says most about itself; of anything else its type does.
_SHORT = (int, float, str, bytes, type(None))
_WANTED = "give the function or module itself, then its inputs, as in explore(f, x)"


def wrong_call(fn: Any, options: Any) -> str:
    """What is wrong with `fn` or with the options of a call, and what is wanted in its place; ""
    if nothing is."""
    if not isinstance(options, report.Options):
        return (
            f"fuselab_options is {_shown(options)}: "
            "give compiler_core.report.Options(...), or leave it out"
        )
    if inspect.isclass(fn):
        name = fn.__name__
        return (
            f"explore() was given the class {name} in place of a function: "
            f"give an object of it, as in explore({name}(...), x)"
        )
    if not callable(fn):
        return f"explore() was given {_shown(fn)} in place of a function: {_WANTED}"
    return ""


def _shown(value: Any) -> str:
    if isinstance(value, _SHORT):
        return reprlib.repr(value)
    return f"an object of type {type(value).__name__}"
