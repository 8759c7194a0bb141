"""The arguments of a call as text: f32[4,8] for a tensor."""

import sys
from collections.abc import Sequence
from typing import Any

from compiler_core.inputs import InputSpec
from compiler_core.interop.names import framework_name, name_of
from compiler_core.report import Framework
from compiler_core.snippet.private import is_transformed, within
from compiler_core.snippet.tensors import maker

_NUMBERS = (bool, int, float, complex)


def shown(tree: Any) -> list[str]:
    """A text for each leaf: the type of a tensor or array, type and value of anything else."""
    return [_leaf(leaf) for leaf in leaves(tree)]


def change(before: Sequence[str], after: Sequence[str]) -> str:
    """How the leaves of two calls differ, as `shown` gives them: "int 1 -> i32[] (input 19 of 21)";
    all leaves if their number differs, or if all or none of these texts do."""
    differ = [i for i, (old, new) in enumerate(zip(before, after, strict=False)) if old != new]
    if len(before) != len(after) or not differ or len(differ) == len(after):
        return f"{', '.join(before)} -> {', '.join(after)}"
    return ", ".join(f"{before[i]} -> {after[i]} (input {i + 1} of {len(after)})" for i in differ)


def traced(tree: Any) -> list[str]:
    """The leaves as jax.jit sees them, in the form of `shown`, but numbers without their values,
    since jit traces them."""
    return [type(x).__name__ if type(x) in _NUMBERS else _leaf(x) for x in leaves(tree)]


def is_array(leaf: Any) -> bool:
    """Whether a leaf is a tensor or an array; a `dtype` alone does not tell, since settings have
    one too."""
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")


def tensor_specs(tree: Any) -> list[str]:
    """The types of the tensors and arrays among the leaves."""
    return [_leaf(leaf) for leaf in leaves(tree) if hasattr(leaf, "shape")]


def named(tensor: Any, names: tuple[str, ...]) -> str:
    """The type of a tensor with a name in place of each size that varies; "" in `names` for
    others."""
    name = name_of(tensor.dtype) or framework_name(tensor.dtype)
    return str(InputSpec(name, tuple(tensor.shape), names))


def _leaf(leaf: Any) -> str:
    if not is_array(leaf):
        text = f"{leaf!r:.40}"
        return type(leaf).__name__ + (f" {text}" if "\n" not in text else "")
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


def with_values(tree: Any, framework: Framework, device: str) -> Any:
    """`tree` with a random tensor or array in place of each leaf that has a shape and no values."""
    make = maker(framework, device)

    def value(leaf: Any) -> Any:
        return make(_spec(leaf)) if is_abstract(leaf) else leaf

    if framework == "torch":
        from compiler_core.interop.private import pytree

        return pytree.tree_map(value, tree)
    return sys.modules["jax"].tree.map(value, tree)


def with_own_values(tree: Any) -> Any:
    """`tree` with each tensor wrapped by a transformation of torch.func replaced by the tensor
    inside, if there is a single one."""
    torch = sys.modules.get("torch")
    if torch is None:
        return tree
    from compiler_core.interop.private import pytree

    return pytree.tree_map_only(torch.Tensor, within, tree)


def _spec(leaf: Any) -> InputSpec:
    name = name_of(leaf.dtype) or framework_name(leaf.dtype)
    if name.startswith("key<"):  # a typed key of JAX; one of two words is taken as well
        return InputSpec("u32", (*leaf.shape, 2))
    return InputSpec(name, tuple(leaf.shape))


def is_traced(tree: Any) -> bool:
    """Whether a leaf has a shape and no values, as inside of a transformation."""
    return any(map(is_abstract, leaves(tree)))


def is_abstract(leaf: Any) -> bool:
    """Whether `leaf` is a tracer of JAX, a tensor inside a transformation of torch.func, a fake
    tensor, or an object with nothing but a shape and a type."""
    if not is_array(leaf):
        return False
    jax, torch = sys.modules.get("jax"), sys.modules.get("torch")
    if torch is not None and isinstance(leaf, torch.Tensor):
        fake = type(leaf).__name__ in ("FakeTensor", "FunctionalTensor")
        return fake or is_transformed(leaf)
    if jax is not None and isinstance(leaf, jax.core.Tracer):
        return True
    return not hasattr(leaf, "__array__")
