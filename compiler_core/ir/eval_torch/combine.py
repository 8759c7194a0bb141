"""How the components of a monoid combine in torch: elementwise, of tensors of one shape."""

from collections.abc import Callable, Sequence
from typing import Any

import torch

from compiler_core.ir.combination import combination
from compiler_core.ir.eval_torch import elementwise, leaves
from compiler_core.ir.eval_torch.context import Context
from compiler_core.ir.evaluate import walk
from compiler_core.ir.graph import Operation

Tensors = tuple[Any, ...]
Combine = Callable[[Tensors, Tensors], Tensors]

_RULES = {**leaves.RULES, **elementwise.RULES}


def combine_of(c: Context, operation: Operation) -> Combine:
    """The elementwise combination with a reduction's, scan's or window's monoid."""
    region = combination(operation["monoid"], tuple(t.dtype for t in operation.types))

    def meaning(scalar: Operation, *xs: Any) -> Tensors:
        return (_RULES[scalar.op](c, scalar.result, *xs),)

    return lambda a, b: tuple(walk(region, (*a, *b), meaning))


def halves(combine: Combine, xs: Tensors, d: int, size: int) -> Tensors:
    """Reduces dimension `d` of `size` >= 1 elements pairwise: one half is combined with the
    other."""
    while size > 1:
        half, odd = divmod(size, 2)
        first, second = (tuple(x.narrow(d, at, half) for x in xs) for at in (0, half))
        paired = combine(first, second)
        if odd:
            rest = (x.narrow(d, size - 1, 1) for x in xs)
            paired = tuple(torch.cat([p, r], d) for p, r in zip(paired, rest, strict=True))
        xs, size = paired, half + odd
    return tuple(x.squeeze(d) for x in xs)


def running(combine: Combine, xs: Tensors, d: int, size: int) -> Tensors:
    """An inclusive scan in steps of doubling distance (Hillis and Steele, 1986)."""
    step = 1
    while step < size:
        before = tuple(x.narrow(d, 0, size - step) for x in xs)
        after = tuple(x.narrow(d, step, size - step) for x in xs)
        combined = combine(before, after)
        heads: Sequence[Any] = [x.narrow(d, 0, step) for x in xs]
        xs = tuple(torch.cat([h, m], d) for h, m in zip(heads, combined, strict=True))
        step *= 2
    return xs
