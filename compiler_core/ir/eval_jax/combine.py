"""How the components of a monoid combine in jax.lax: the computation of a reduction."""

from collections.abc import Callable
from typing import Any

import jax

from compiler_core.ir.combination import combination
from compiler_core.ir.eval_jax import elementwise, leaves
from compiler_core.ir.evaluate import walk
from compiler_core.ir.graph import Operation

Arrays = tuple[Any, ...]
Combine = Callable[[Arrays, Arrays], Arrays]

_RULES = {**leaves.RULES, **elementwise.RULES}


def combine_of(operation: Operation) -> Combine:
    """The scalar computation of a reduction's, scan's or window's monoid."""
    region = combination(operation["monoid"], tuple(t.dtype for t in operation.types))

    def meaning(scalar: Operation, *xs: Any) -> Arrays:
        return (_RULES[scalar.op](scalar.result, *xs),)

    return lambda a, b: tuple(walk(region, (*a, *b), meaning))


def of_arrays(combine: Combine) -> Combine:
    """The scalar combination, mapped over all elements of arrays of one shape."""

    def mapped(a: Arrays, b: Arrays) -> Arrays:
        function = combine
        for _ in range(a[0].ndim):
            function = jax.vmap(function)
        return function(a, b)

    return mapped
