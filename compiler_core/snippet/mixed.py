"""Pytrees that mix arrays with other values, such as a model with its activation, or parameters
beside a name. A JAX function that a snippet calls without jax.jit runs as Python and accepts them;
only their arrays are traced."""

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compiler_core.snippet.specs import is_array
from compiler_core.snippet.untraced import is_computed_with

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def apart(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
    """A call with only the arrays of each such pytree as arguments, of a function that puts the
    other values back."""
    jax = sys.modules["jax"]
    given = _named(args, kwargs)
    fixed = {key: _fixed(jax.tree.leaves(tree)) for key, tree in given.items()}
    if not any(fixed.values()):
        return fn, args, kwargs

    @functools.wraps(fn)
    def whole(*args: Any, **kwargs: Any) -> Any:
        now = _named(args, kwargs)
        filled = {key: _put_back(tree, given[key], fixed[key]) for key, tree in now.items()}
        by_place = [filled.pop(place) for place in range(len(args))]
        return jax.tree.map(_traceable, fn(*by_place, **filled))

    left = {key: _without(tree, fixed[key]) for key, tree in given.items()}
    by_place = tuple(left.pop(place) for place in range(len(args)))
    return whole, by_place, left


def _named(args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[Any, Any]:
    """Arguments by place and by name."""
    return {**dict(enumerate(args)), **kwargs}


def _fixed(leaves: Sequence[Any]) -> dict[int, Any]:
    """Those that are not computed with, by their places; none of a tree of nothing else."""
    fixed = {i: x for i, x in enumerate(leaves) if not is_computed_with(x)}
    return fixed if len(fixed) < len(leaves) else {}


def _without(tree: Any, fixed: Mapping[int, Any]) -> Any:
    leaves, spec = sys.modules["jax"].tree.flatten(tree)
    return spec.unflatten([None if i in fixed else x for i, x in enumerate(leaves)])


def _put_back(tree: Any, before: Any, fixed: Mapping[int, Any]) -> Any:
    """The tree as it was, with the arrays that it has now."""
    if not fixed:
        return tree
    jax = sys.modules["jax"]
    arrays, spec = iter(jax.tree.leaves(tree)), jax.tree.structure(before)
    places = range(spec.num_leaves)
    return spec.unflatten([fixed[i] if i in fixed else next(arrays) for i in places])


def _traceable(leaf: Any) -> Any:
    """Of a result only what JAX can return."""
    return leaf if is_array(leaf) or isinstance(leaf, int | float | complex) else None
