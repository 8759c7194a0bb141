"""Calls with abstract values in place of arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax


@dataclass(frozen=True)
class AbstractCall:
    """A call without its arrays: their types in full, with how they are divided among a mesh and
    over which axes they vary, and a function that puts other arrays in their places. Other
    arguments (a number, a function, a string) stay."""

    types: tuple[Any, ...]
    _rest: tuple[Any, ...]
    _tree: Any

    @classmethod
    def of(cls, args: Any, kwargs: Any) -> "AbstractCall":
        """The abstract call for arguments that are arrays, or tracers of them."""
        leaves, tree = jax.tree.flatten((tuple(args), dict(kwargs)))
        types = tuple(map(jax.typeof, filter(_is_array, leaves)))
        return cls(types, tuple(_HOLE if _is_array(x) else x for x in leaves), tree)

    def with_arrays(self, arrays: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """(args, kwargs) with `arrays` in their places."""
        given = iter(arrays)
        leaves = [next(given) if x is _HOLE else x for x in self._rest]
        args, kwargs = jax.tree.unflatten(self._tree, leaves)
        return args, kwargs

    def jaxpr(self, fn: Callable[..., Any]) -> Any:
        """The jaxpr that JAX traces for this call of a function, also if it has traced it before.
        Raises what tracing raises."""

        def traced(*arrays: Any) -> Any:
            args, kwargs = self.with_arrays(arrays)
            return fn(*args, **kwargs)

        return jax.make_jaxpr(traced)(*self.types)


_HOLE = object()


def _is_array(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")
