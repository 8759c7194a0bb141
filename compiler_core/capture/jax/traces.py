"""A program traced once for arguments of the same types, and run by its trace: JAX compiles a loop
or a branch anew for every trace that it meets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend.core import jaxpr_as_fun

from compiler_core.capture.jax.control import TABLE as CONTROL
from compiler_core.capture.jax.within import jaxprs_within


@dataclass(frozen=True)
class Trace:
    """A jaxpr, and the structure of its function's result."""

    closed: Any
    tree: Any


class Traces:
    """A function's traces, by the types of its arguments."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self._fn = fn
        self._known: dict[Any, Trace] = {}

    def of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Trace:
        """The trace of a call."""
        leaves, tree = jax.tree.flatten((tuple(args), dict(kwargs)))
        types = tree, tuple(map(jax.typeof, leaves))
        if types not in self._known:
            closed, shape = jax.make_jaxpr(self._fn, return_shape=True)(*args, **kwargs)
            self._known[types] = Trace(closed, jax.tree.structure(shape))
        return self._known[types]

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result, computed by JAX operation by operation."""
        trace = self.of(args, kwargs)
        if not has_control(trace.closed.jaxpr):
            return self._fn(*args, **kwargs)
        leaves = jax.tree.leaves((args, kwargs))
        return jax.tree.unflatten(trace.tree, jaxpr_as_fun(trace.closed)(*leaves))


def has_control(jaxpr: Any) -> bool:
    """Whether there is a loop or a branch in a jaxpr, or in one that it calls."""
    inner = (program for eqn in jaxpr.eqns for program in jaxprs_within(eqn))
    return any(e.primitive.name in CONTROL for e in jaxpr.eqns) or any(map(has_control, inner))
