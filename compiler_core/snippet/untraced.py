"""Which arguments of a JAX function are static where a snippet calls it without jax.jit, as Python:
flags, sizes, functions. Floats count as numbers that it computes with."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from compiler_core.snippet.specs import is_array


def untraced(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """The positions and names of the static arguments, as options of jax.jit."""
    numbers = tuple(i for i, x in enumerate(args) if _is_value(x))
    names = tuple(name for name, x in kwargs.items() if _is_value(x))
    return {"static_argnums": numbers, "static_argnames": names}


def _is_value(argument: Any) -> bool:
    leaves = sys.modules["jax"].tree.leaves(argument)
    return bool(leaves) and not any(map(is_computed_with, leaves))


def is_computed_with(leaf: Any) -> bool:
    """Whether a leaf is an array, or a number that could be one."""
    return is_array(leaf) or type(leaf) in (float, complex)
