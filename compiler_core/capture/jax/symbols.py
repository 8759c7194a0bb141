"""JAX's symbolic sizes as ours. What is private in JAX is one small function each."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax import export

from compiler_core.ir.quotients import floordiv, modulo
from compiler_core.ir.sizes import (
    MOST,
    Dim,
    Size,
    Symbol,
    Undecided,
    larger,
    product,
    size,
    smaller,
    sum_of,
)

# Of each scope of JAX's, the symbols by name.
_known: "weakref.WeakKeyDictionary[Any, dict[str, Symbol]]" = weakref.WeakKeyDictionary()


def dim_of(value: Any) -> Dim:
    """A size of JAX's, an int or one of its expressions. Raises Undecided for what is no sum of
    products and quotients of the program's sizes, such as a quotient of two of them."""
    if not export.is_symbolic_dim(value):
        return int(value)
    symbols = _known[value.scope]
    return sum_of(product(_factors(value, term, symbols)) * int(c) for term, c in _terms(value))


def is_symbolic(tree: Any) -> bool:
    """Whether there is a symbolic size among the leaves."""
    return any(export.is_symbolic_dim(x) for x in jax.tree.leaves(tree))


def _terms(value: Any) -> Sequence[tuple[Any, int]]:
    terms: Sequence[tuple[Any, int]] = value._sorted_terms
    return terms


def _factors(value: Any, term: Any, symbols: Mapping[str, Symbol]) -> list[Dim]:
    found: list[Dim] = []
    for factor, power in term._factors:
        name = factor.to_var()
        found += [_operation(value, factor) if name is None else size(symbols[name])] * power
    return found


def _operation(value: Any, factor: Any) -> Dim:
    operands = [dim_of(x) for x in factor.operands]
    rule = _OPERATIONS.get(factor.operation)
    if rule is None or (rule in (floordiv, modulo) and isinstance(operands[1], Size)):
        raise Undecided(f"a size is {value}, which is no sum, product or quotient")
    return rule(*operands)


# The last two raise Undecided where ranges do not say which it is.
_OPERATIONS: dict[str, Callable[..., Dim]] = {
    "floordiv": floordiv,
    "mod": modulo,
    "max": larger,
    "min": smaller,
}


def structs(arrays: Sequence[Any], names: Sequence[Sequence[str]]) -> list[jax.ShapeDtypeStruct]:
    """What stands for arrays while a program is traced: those with a name in `names` have symbols
    for these dimensions."""
    hints = {
        name: actual
        for array, own in zip(arrays, names, strict=True)
        for name, actual in zip(own, array.shape, strict=False)
        if name
    }
    sizes = dict(zip(hints, _sizes(list(hints)), strict=True))
    for name, dim in sizes.items():
        symbol = Symbol(name, hints[name], 2, MOST)
        _known.setdefault(dim.scope, {})[name] = symbol
    return [
        jax.ShapeDtypeStruct(_shape(array, own, sizes), array.dtype)
        for array, own in zip(arrays, names, strict=True)
    ]


def _sizes(names: Sequence[str]) -> tuple[Any, ...]:
    constraints = [f"{name} >= 2" for name in names] + [f"{name} <= {MOST}" for name in names]
    symbols: tuple[Any, ...] = export.symbolic_shape(", ".join(names), constraints=constraints)
    return symbols


def _shape(array: Any, names: Sequence[str], sizes: Mapping[str, Any]) -> tuple[Any, ...]:
    names = names or ("",) * len(array.shape)
    return tuple(sizes.get(name, size) for name, size in zip(names, array.shape, strict=True))
