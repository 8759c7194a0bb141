"""Optimizers that the snippet writes and never calls: one is made of a few parameters, which have
gradients, and makes a step."""

from collections.abc import Iterator
from typing import Any

from compiler_core.inputs import InputSpec, Listed
from compiler_core.snippet.guess.context import Option
from compiler_core.snippet.tensors import maker

_MATRIX, _BIAS = InputSpec("f32", (256, 256)), InputSpec("f32", (256,))
_KINDS = ((_MATRIX, _BIAS), (_MATRIX, _MATRIX))


def trained() -> Iterator[Option]:
    """What an optimizer is made of: some are of matrices alone."""
    yield from (Option(Listed(shapes), "what optimizers take") for shapes in _KINDS)


def with_gradients(optimizer: Any, device: str) -> None:
    """Gives its parameters gradients, as a backward pass does."""
    make = maker("torch", device)
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.requires_grad_()
            parameter.grad = make(InputSpec("f32", tuple(parameter.shape)))
