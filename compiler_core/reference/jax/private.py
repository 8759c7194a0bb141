"""Private functions of JAX, in one place: written for JAX 0.9.2 to 0.11, and covered by a test.
Where a version lacks one, what it would show is left out."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import jax

# The functions that JAX's transformations return, or that apply one at once, by their qualified
# names in its modules api.py, ad_checkpoint.py and custom_derivatives.py: the name for a person.
TRANSFORMS = {
    "value_and_grad.<locals>.value_and_grad_f": "value_and_grad",
    "vmap.<locals>.vmap_f": "vmap",
    "jacfwd.<locals>.jacfun": "jacfwd",
    "jacrev.<locals>.jacfun": "jacrev",
    "checkpoint.<locals>.fun_remat": "checkpoint",
    "jvp": "jvp",
    "vjp": "vjp",
    "custom_jvp.__call__": "custom_jvp",
    "custom_vjp.__call__": "custom_vjp",
}
FILES = ("api.py", "ad_checkpoint.py", "custom_derivatives.py")
# jax.grad is value_and_grad that drops the value.
GRAD = ("grad.<locals>.grad_f", "grad.<locals>.grad_f_aux")
# JAX's frame between a function and its caller, which cuts tracebacks.
FILTER = "reraise_with_filtered_traceback"
_TRACES = "jax._src.interpreters.partial_eval"
# JAX's caches of the functions that it has traced within a program: those of jax.checkpoint and
# jax.jit.
_TRACED = (
    ("jax._src.ad_checkpoint", "_trace_to_jaxpr"),
    ("jax._src.interpreters.partial_eval", "trace_to_jaxpr"),
    ("jax._src.pjit", "_infer_params_cached"),
)


def forget_traces() -> None:
    """Makes JAX trace the functions within a program again, which it has traced before."""
    for module, name in _TRACED:
        clear = getattr(getattr(import_module(module), name, None), "cache_clear", None)
        if clear is not None:
            clear()


def residuals(fn: Any, *args: Any, **kwargs: Any) -> list[tuple[Any, str]]:
    """What the forward pass saves for the backward pass: abstract values, each with its source in
    JAX's words: "output of tanh from <snippet>:6:8 (g)", "from the argument w". Empty if it is not
    available."""
    try:
        from jax._src.ad_checkpoint import saved_residuals

        return list(saved_residuals(fn, *args, **kwargs))
    except Exception:  # what cannot be differentiated keeps nothing
        return []


@contextmanager
def explained() -> Iterator[list[str]]:
    """Context in which JAX explains why it traces a function; the list collects its messages."""
    messages: list[str] = []
    handler = _Handler(messages)
    logger = logging.getLogger(_TRACES)
    before, passed_on = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.WARNING)
    logger.propagate = False
    try:
        with jax.explain_cache_misses(True):
            yield messages
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        logger.propagate = passed_on


class _Handler(logging.Handler):
    def __init__(self, messages: list[str]) -> None:
        super().__init__()
        self._messages = messages

    def emit(self, record: logging.LogRecord) -> None:
        self._messages.append(record.getMessage())
