"""What can be read of a Python call under way: its arguments, the line that makes it, the kind of
its result."""

import inspect
import sys
from types import CodeType, FrameType
from typing import Any

import numpy as np

from compiler_core.snippet.source import FILE
from compiler_core.snippet.specs import leaves


def arguments(frame: FrameType, code: CodeType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """(args, kwargs) of a call that begins: the values of its parameters."""
    names, values = code.co_varnames, frame.f_locals
    count = code.co_argcount
    end = count + code.co_kwonlyargcount
    args = [values[name] for name in names[:count]]
    kwargs = {name: values[name] for name in names[count:end]}
    if code.co_flags & inspect.CO_VARARGS:
        args += values[names[end]]
        end += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs.update(values[names[end]])
    return tuple(args), kwargs


def calling_line(frame: FrameType) -> int | None:
    """The snippet's line that the frame is called from."""
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename != FILE:
        caller = caller.f_back
    return None if caller is None else caller.f_lineno


def has_tensors(tree: Any) -> bool:
    """Whether tensors or arrays are among the leaves."""
    return any(hasattr(leaf, "shape") and hasattr(leaf, "dtype") for leaf in leaves(tree))


def has_results(tree: Any) -> bool:
    """Whether a call's result has tensors or arrays of a framework. A call that returns only NumPy
    arrays prepares data or reads results."""
    arrays = [x for x in leaves(tree) if hasattr(x, "shape") and hasattr(x, "dtype")]
    return any(not isinstance(x, np.ndarray | np.generic) for x in arrays)


def is_within_constructor(frame: FrameType) -> bool:
    """Whether one of the snippet's modules is being constructed: computing its buffers and weights
    is not a program."""
    torch, outer = sys.modules.get("torch"), frame.f_back
    while torch is not None and outer is not None:
        if outer.f_code.co_name == "__init__" and outer.f_code.co_filename == FILE:
            own = outer.f_locals.get(outer.f_code.co_varnames[0])
            return isinstance(own, torch.nn.Module)
        outer = outer.f_back
    return False
