"""JAX's symbolic sizes as ours. What is private in JAX is one small function each."""

import math
import re
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
from jax import export

from compiler_core.ir.sizes import (
    MOST,
    Dim,
    Size,
    Symbol,
    Undecided,
    equality_as_division,
    floordiv,
    larger,
    modulo,
    one,
    product,
    quotient,
    smaller,
    sum_of,
)

# By JAX's scope of symbolic sizes, its symbols by the names of its variables.
_known: "weakref.WeakKeyDictionary[Any, dict[str, Symbol]]" = weakref.WeakKeyDictionary()


def dim_of(value: Any) -> Dim:
    """A size of JAX's, an int or one of its expressions. Raises Undecided for what is no sum of
    products and quotients of the program's sizes, such as most quotients of two of them."""
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
        found += [_operation(value, factor) if name is None else one(symbols[name])] * power
    return found


def _operation(value: Any, factor: Any) -> Dim:
    operands = [dim_of(x) for x in factor.operands]
    rule = _OPERATIONS.get(factor.operation)
    no_size = Undecided(f"a size is {value}, which is no sum, product or quotient")
    if rule is None:
        raise no_size
    if rule not in (floordiv, modulo) or not isinstance(operands[1], Size):
        return rule(*operands)
    try:
        return quotient(*operands)[rule is modulo]
    except Undecided:
        raise no_size from None


# JAX's operations on sizes. The last two raise Undecided if the ranges do not say which operand it
# is.
_OPERATIONS: dict[str, Callable[..., Dim]] = {
    "floordiv": floordiv,
    "mod": modulo,
    "max": larger,
    "min": smaller,
}


def structs(
    arrays: Sequence[Any], names: Sequence[Sequence[str]], multiples: Mapping[str, int]
) -> list[Any]:
    """Stand-ins for the arrays while a program is traced. An array with names in `names` becomes a
    ShapeDtypeStruct with symbols for these dimensions; `multiples` are numbers of which the symbols
    are known to be multiples. Any other array stands for itself."""
    symbols = [
        Symbol(name, hint, max(2, by := multiples.get(name, 1)), MOST // by * by, by)
        for name, hint in _hints(arrays, names).items()
    ]
    sizes = {s.name: dim for s, dim in zip(symbols, _sizes(symbols), strict=True)}
    for symbol in symbols:
        scope = _known.setdefault(sizes[symbol.name].scope, {})
        scope[_variable(symbol.name, symbol.multiple)] = symbol
    return [
        jax.ShapeDtypeStruct(_shape(array, own, sizes), array.dtype) if any(own) else array
        for array, own in zip(arrays, names, strict=True)
    ]


def _hints(arrays: Sequence[Any], names: Sequence[Sequence[str]]) -> dict[str, int]:
    several = zip(arrays, names, strict=True)
    pairs = (pair for x, own in several for pair in zip(own, x.shape if own else (), strict=False))
    return {name: actual for name, actual in pairs if name}


def _variable(name: str, by: int) -> str:
    """JAX's variable: of a multiple of four, B_4 counts the fours, and the size is 4*B_4."""
    return name if by == 1 else f"{name}_{by}"


def _sizes(symbols: Sequence[Symbol]) -> tuple[Any, ...]:
    own = [(_variable(s.name, s.multiple), s.multiple) for s in symbols]
    shape = ", ".join(f"{by}*{variable}" if by > 1 else variable for variable, by in own)
    least = [f"{variable} >= {2 if by == 1 else 1}" for variable, by in own]
    most = [f"{variable} <= {MOST // by}" for variable, by in own]
    sizes: tuple[Any, ...] = export.symbolic_shape(shape, constraints=least + most)
    return sizes


def multiples_for(
    question: str, known: Mapping[str, int], arrays: Sequence[Any], names: Sequence[Sequence[str]]
) -> Mapping[str, int] | None:
    """The numbers, beyond those `known`, of which sizes must be multiples for the division that JAX
    asks about in its `question` to be exact; None if it asks something else, or if the sizes of the
    call are no such multiples."""
    found = _DIVISION.search(question)
    for name, hint in _hints(arrays, names).items() if found else ():
        by = known.get(name, 1)
        if found and found["variable"] == _variable(name, by):
            divisor = int(found["by"])
            more = by * divisor // math.gcd(divisor, int(found["times"] or 1))
            return {**known, name: more} if more > by and hint % more == 0 else None
    return None


# JAX tells only in text which remainder it takes to be other than 0.
_DIVISION = re.compile(
    r"(remainder|rest is) mod\((?:(?P<times>\d+)\*)?(?P<variable>\w+), (- )?(?P<by>\d+)\)"
)


def divided_exactly(count: Dim, other: Dim) -> None:
    """Raises Undecided, in JAX's words, where two counts of elements are equal only if a division
    leaves no remainder: JAX itself accepts such a reshape."""
    found = equality_as_division(count, other)
    if found is None:
        return
    dividend, by = found
    (((symbol, *_), times), *more) = dividend.terms
    text = str(dividend)
    if isinstance(symbol, Symbol) and not more:
        text = (f"{times}*" if times > 1 else "") + _variable(symbol.name, symbol.multiple)
    raise Undecided(f"{count} elements become {other}: the remainder mod({text}, {by}) is to be 0")


def _shape(array: Any, names: Sequence[str], sizes: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(sizes.get(name, size) for name, size in zip(names, array.shape, strict=True))
