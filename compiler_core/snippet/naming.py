"""Names of programs, as they are shown."""

import inspect
import sys
from collections.abc import Callable
from typing import Any

from compiler_core.snippet.private import transforms

# JAX's transformations return functions that bear the original's name; their code has its own.
_TRANSFORMS = {
    "grad_f": "grad",
    "grad_f_aux": "grad",
    "value_and_grad_f": "value_and_grad",
    "vmap_f": "vmap",
    "jacfun": "jacobian",
}
# What JAX wraps around its functions to cut its own frames out of tracebacks.
_FILTER = "reraise_with_filtered_traceback"


def name_of(fn: Callable[..., Any]) -> str:
    """The name under which a program is shown: `softmax`, `Block`, `grad(loss)`, `lambda`."""
    name = getattr(fn, "__name__", None)
    if name is None:
        partial = getattr(fn, "func", None)
        return name_of(partial) if callable(partial) else type(fn).__name__
    transform = _TRANSFORMS.get(_code_name(fn)) or _of_torch(fn)
    wrapped = getattr(fn, "__wrapped__", None) if transform is None else transformed(fn)
    if transform is not None and callable(wrapped):
        return f"{transform}({name_of(wrapped)})"
    if callable(wrapped) and name == _code_name(fn):
        # A decorator's own function: what it wraps has no name to give it, as an object has none.
        return name_of(wrapped)
    return "lambda" if name == "<lambda>" else name


def is_transform(fn: Any) -> bool:
    """Whether a function was returned by JAX's grad, vmap or another transformation."""
    return _code_name(fn) in _TRANSFORMS


def transformed(fn: Any) -> Any:
    """The function that a JAX transformation was given; None where it cannot be found."""
    wrapped = getattr(fn, "__wrapped__", None)
    if wrapped is not None:
        return wrapped
    # What its wrapper has as __wrapped__; grad calls what value_and_grad makes.
    own = inspect.getclosurevars(fn).nonlocals if inspect.isfunction(fn) else {}
    inner = (transformed(value) for value in own.values() if is_transform(value))
    return own.get("fun") or own.get("func") or next(inner, None)


def _of_torch(fn: Any) -> str | None:
    """The transformation of torch.func's that returned a function."""
    if "torch" not in sys.modules or not inspect.isfunction(fn):
        return None
    return transforms().get(fn.__code__)


def _code_name(fn: Any) -> str:
    if inspect.isfunction(fn) and fn.__code__.co_name == _FILTER:
        fn = inspect.getclosurevars(fn).nonlocals.get("fun")
    return fn.__code__.co_name if inspect.isfunction(fn) else ""
