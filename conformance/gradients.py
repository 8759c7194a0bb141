"""Programs that differentiate a function: once, by a backward pass, and twice."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

Fn = Callable[..., Any]


def backward(forward: Fn, args: Sequence[Any], kwargs: dict[str, Any]) -> Fn:
    """Forward and backward pass, from the results that have a gradient. Which these are is asked
    here: where the program asks, a trace without autograd finds none."""
    places = _differentiable(pytree.tree_leaves(forward(*args, **kwargs)))

    def f(*args: Any, **kwargs: Any) -> Any:
        result = forward(*args, **kwargs)
        roots = _at(places, pytree.tree_leaves(result))
        torch.autograd.backward(roots, _weights(roots))
        return result

    return f


def twice(forward: Fn, args: Sequence[Any], kwargs: dict[str, Any]) -> Fn | None:
    """Results, gradients of the floating-point arguments that want them, and the gradients of
    these gradients. None where no gradient has one."""
    given = pytree.tree_leaves((tuple(args), kwargs))
    wanted = _differentiable(given)
    results = pytree.tree_leaves(forward(*args, **kwargs))
    roots = _differentiable(results)
    first = _gradients(_at(roots, results), _at(wanted, given), graph=True)
    again = _differentiable(first)
    if not again:
        return None

    def f(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = pytree.tree_flatten((args, kwargs))
        with torch.enable_grad():
            for i in wanted:
                leaves[i] = leaves[i].detach().requires_grad_()
            args, kwargs = pytree.tree_unflatten(leaves, spec)
            found = pytree.tree_leaves(forward(*args, **kwargs))
            by = _at(wanted, leaves)
            first = _gradients(_at(roots, found), by, graph=True)
            second = _gradients(_at(again, first), by, graph=False)
        return [x.detach() for x in (*_at(roots, found), *first, *second) if x is not None]

    return f


def _gradients(roots: Any, by: Any, graph: bool) -> Sequence[Any]:
    return torch.autograd.grad(roots, by, _weights(roots), create_graph=graph, allow_unused=True)


def _weights(roots: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The gradients of the results: different ones, that depend on nothing."""
    return [torch.cos(x.detach()) + 0.5 for x in roots]


def _differentiable(values: Sequence[Any]) -> list[int]:
    """The places of the tensors that have a gradient."""
    return [i for i, x in enumerate(values) if isinstance(x, torch.Tensor) and x.requires_grad]


def _at(places: Sequence[int], values: Sequence[Any]) -> list[Any]:
    return [values[i] for i in places]
