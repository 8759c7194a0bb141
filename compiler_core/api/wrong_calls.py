"""Calls of `explore` that are the caller's mistake, before anything is compiled."""

import inspect
import reprlib
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin

import msgspec
import torch

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
    unusable = _unusable_option(options)
    if unusable:
        return unusable
    if isinstance(fn, torch.jit.ScriptModule | torch.jit.ScriptFunction):
        return (
            f"explore() was given {_shown(fn)}, which torch.compile does not take: "
            "give what torch.jit.script or torch.jit.trace was given"
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


def _unusable_option(options: report.Options) -> str:
    """The first option whose value is none of its type's, which nothing has checked yet; "" if
    there is none."""
    for field in msgspec.structs.fields(report.Options):
        value = getattr(options, field.name)
        try:
            msgspec.convert(msgspec.to_builtins(value), field.type)
        except (msgspec.ValidationError, TypeError) as error:
            known = ", ".join(map(str, _literals(field.type)))
            wanted = f"choose from {known}" if known else str(error)
            return f"fuselab_options has {field.name}={reprlib.repr(value)}: {wanted}"
    return ""


def _literals(kind: Any) -> Iterator[Any]:
    """The values that a type names."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
        return
    for part in get_args(kind):
        yield from _literals(part)
