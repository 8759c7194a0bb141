"""Calls of a framework's own kernel, from torch."""

from typing import Any

import torch

from compiler_core.ir.graph import Node
from compiler_core.ir.torch_rules.held import DTYPES, Context, Rule


def _library_call(c: Context, n: Node, *xs: Any) -> Any:
    callee, several = n["callee"], bool(n.types)

    def call(*operands: Any) -> Any:
        given = [_to_jax(x) for x in operands] if callee.framework == "jax" else operands
        results = callee.call(*given)
        results = results if isinstance(results, tuple | list) else (results,)
        made = tuple(_from_jax(r) if callee.framework == "jax" else r for r in results)
        return made if several else made[0]

    if c.float_dtype is None:
        return c.make(call, *xs)
    return _in_float_dtype(c, n, call, xs)


def _in_float_dtype(c: Context, n: Node, call: Any, xs: tuple[Any, ...]) -> Any:
    """The call in the reference's precision; in the program's own where the kernel refuses
    other types or is JAX's, which has no float64 unless the whole process does."""
    declared = [x.to(DTYPES[o.type.dtype.name]) for x, o in zip(xs, n.inputs, strict=True)]
    if n["callee"].framework == "jax":
        results = call(*declared)
    else:
        try:
            results = call(*xs)
        except (RuntimeError, TypeError):
            results = call(*declared)
    types = n.types or (n.type,)
    made = results if n.types else (results,)
    cast = tuple(r.to(c.dtype(t.dtype)) for r, t in zip(made, types, strict=True))
    return cast if n.types else cast[0]


def _to_jax(x: torch.Tensor) -> Any:
    import jax

    return jax.dlpack.from_dlpack(x.detach().contiguous())


def _from_jax(x: Any) -> torch.Tensor:
    return torch.from_dlpack(x)


RULES: dict[str, Rule] = {
    "library_call": _library_call,
    "get_tuple_element": lambda c, n, results: results[n["index"]],
}
