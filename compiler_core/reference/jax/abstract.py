"""Calls with what stands for arrays in the place of arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax


@dataclass(frozen=True)
class AbstractCall:
    """A call of which the arrays are left out: their types, and a function that puts others into
    their places. What is no array (a number, a function, a text) stays."""

    types: tuple[Any, ...]
    _rest: tuple[Any, ...]
    _tree: Any

    @classmethod
    def of(cls, args: Any, kwargs: Any) -> "AbstractCall":
        """Of arguments that are arrays, or stand for them in a trace."""
        leaves, tree = jax.tree.flatten((tuple(args), dict(kwargs)))
        types = tuple(map(_struct, filter(_is_array, leaves)))
        return cls(types, tuple(_HOLE if _is_array(x) else x for x in leaves), tree)

    def with_arrays(self, arrays: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs)"""
        given = iter(arrays)
        leaves = [next(given) if x is _HOLE else x for x in self._rest]
        args, kwargs = jax.tree.unflatten(self._tree, leaves)
        return args, kwargs

    def jaxpr(self, fn: Callable[..., Any]) -> Any:
        """What JAX traces of a function for this call, whether it knows the function or not. Raises
        what tracing raises."""

        def traced(*arrays: Any) -> Any:
            args, kwargs = self.with_arrays(arrays)
            return fn(*args, **kwargs)

        return jax.make_jaxpr(traced)(*self.types)


_HOLE = object()


def _is_array(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")


def _struct(leaf: Any) -> Any:
    type_ = jax.typeof(leaf)
    weak = getattr(type_, "weak_type", False)
    return jax.ShapeDtypeStruct(type_.shape, type_.dtype, weak_type=weak)
