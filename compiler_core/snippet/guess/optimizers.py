"""Optimizers that the snippet defines and never calls: one is constructed with a few parameters
that have gradients, and makes a step."""

from collections.abc import Iterator
from typing import Any

from compiler_core.inputs import InputSpec, Listed
from compiler_core.snippet.guess.context import Option
from compiler_core.snippet.tensors import maker

_MATRIX, _BIAS = InputSpec("f32", (256, 256)), InputSpec("f32", (256,))
_KINDS = ((_MATRIX, _BIAS), (_MATRIX, _MATRIX))


def trained() -> Iterator[Option]:
    """Lists of parameters for an optimizer, some of which accept only matrices."""
    yield from (Option(Listed(shapes), "what optimizers take") for shapes in _KINDS)


def with_gradients(optimizer: Any, device: str) -> None:
    """Gives an optimizer's parameters gradients, as a backward pass does."""
    make = maker("torch", device)
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.requires_grad_()
            parameter.grad = make(InputSpec("f32", tuple(parameter.shape)))
