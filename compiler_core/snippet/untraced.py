"""Which arguments of a JAX function that a snippet calls without jax.jit are values to it, as it is
Python that runs: flags, sizes, functions. Floats are numbers that it computes with."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from compiler_core.snippet.specs import is_array


def untraced(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Their places and their names, as options of jax.jit."""
    numbers = tuple(i for i, x in enumerate(args) if _is_value(x))
    names = tuple(name for name, x in kwargs.items() if _is_value(x))
    return {"static_argnums": numbers, "static_argnames": names}


def _is_value(argument: Any) -> bool:
    leaves = sys.modules["jax"].tree.leaves(argument)
    return bool(leaves) and not any(map(is_computed_with, leaves))


def is_computed_with(leaf: Any) -> bool:
    """Whether it is an array, or a number that may as well be one."""
    return is_array(leaf) or type(leaf) in (float, complex)
