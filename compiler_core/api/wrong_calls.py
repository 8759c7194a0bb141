"""Calls of `explore` that are the caller's mistake, before anything is compiled."""

import inspect
import reprlib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Literal, get_args, get_origin

import msgspec
import torch

from compiler_core import report

# Values that a message shows themselves; of any other it shows the type.
_SHORT = (int, float, str, bytes, type(None))
_WANTED = "give the function or module itself, then its inputs, as in explore(f, x)"
_OPTIONS = "fuselab_options"


def wrong_call(fn: Any, options: Any, keywords: Mapping[str, Any]) -> str:
    """What is wrong with `fn`, with the options of a call or with the names of its other arguments,
    and what is wanted in its place; "" if nothing is."""
    for name, value in keywords.items():
        if isinstance(value, report.Options):
            return f"explore() was given its options as {name}: give them as {_OPTIONS}"
    if not isinstance(options, report.Options):
        return (
            f"{_OPTIONS} is {_shown(options)}: "
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
            known = [str(each) for each in _literals(field.type)]
            wanted = (
                f"choose from {', '.join(known)}{_meant(value, known)}" if known else str(error)
            )
            return f"{_OPTIONS} has {field.name}={reprlib.repr(value)}: {wanted}"
    return ""


def _meant(value: Any, known: list[str]) -> str:
    """What of `known` a value, or the first in it that is none of them, is almost."""
    given = map(str, value if isinstance(value, list | tuple) else [value])
    wrong = next((each for each in given if each not in known), "")
    near = get_close_matches(wrong, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _literals(kind: Any) -> Iterator[Any]:
    """The values that a type names."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
        return
    for part in get_args(kind):
        yield from _literals(part)
