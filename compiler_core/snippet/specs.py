"""The arguments of a call as text: f32[4,8] for a tensor."""

import sys
from typing import Any

from compiler_core.inputs import InputSpec
from compiler_core.interop.names import framework_name, name_of
from compiler_core.snippet.tensors import jax_arrays


def shown(tree: Any) -> list[str]:
    """One text for each leaf: the type of a tensor or array, type and value of anything else."""
    return [_leaf(leaf) for leaf in leaves(tree)]


def tensor_specs(tree: Any) -> list[str]:
    """The types of the tensors and arrays among the leaves."""
    return [_leaf(leaf) for leaf in leaves(tree) if hasattr(leaf, "shape")]


def named(tensor: Any, names: tuple[str, ...]) -> str:
    """The type of a tensor with a name in place of each size that varies; "" in `names` for
    others."""
    name = name_of(tensor.dtype) or framework_name(tensor.dtype)
    return str(InputSpec(name, tuple(tensor.shape), names))


def _leaf(leaf: Any) -> str:
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        return f"{type(leaf).__name__} {leaf!r:.40}"
    name = name_of(leaf.dtype) or framework_name(leaf.dtype)
    return f"{name}[{','.join(str(s) for s in leaf.shape)}]"


def leaves(tree: Any) -> list[Any]:
    """The leaves of nested dicts, lists, tuples and JAX's registered pytrees."""
    jax = sys.modules.get("jax")
    if jax is not None:
        return list(jax.tree.leaves(tree))
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in leaves(tree[key])]
    if isinstance(tree, list | tuple):
        return [leaf for value in tree for leaf in leaves(value)]
    return [] if tree is None else [tree]


def with_values(tree: Any) -> Any:
    """`tree` with each JAX tracer replaced by a random array of its shape and type."""
    jax = sys.modules["jax"]

    def value(leaf: Any) -> Any:
        if not isinstance(leaf, jax.core.Tracer):
            return leaf
        (array,) = jax_arrays(
            [InputSpec(name_of(leaf.dtype) or framework_name(leaf.dtype), tuple(leaf.shape))]
        )
        return array

    return jax.tree.map(value, tree)


def is_traced(tree: Any) -> bool:
    """Whether a leaf is a JAX tracer."""
    jax = sys.modules.get("jax")
    return jax is not None and any(isinstance(x, jax.core.Tracer) for x in leaves(tree))
