"""A function followed by the backward pass that the snippet ran on its results."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from compiler_core.capture.torch.mode import Instead
from compiler_core.interop.structures import leaves_of
from compiler_core.snippet.signature import argument_names


def with_backward(fn: Callable[..., Any], gradients: Mapping[int, torch.Tensor]) -> Any:
    """`fn` followed by a backward pass from its results. `gradients` maps the position of a result
    among the flattened ones to the gradient that the snippet's own backward pass gave it."""

    def program(*args: Any, **kwargs: Any) -> Any:
        result = fn(*args, **kwargs)
        leaves = leaves_of(result)
        begun = {**_zeros_beside(gradients, leaves), **gradients}
        torch.autograd.backward([leaves[i] for i in begun], list(begun.values()))
        return result

    named: Any = program
    named.fuselab_original = fn
    named.__name__ = getattr(fn, "__name__", type(fn).__name__)
    return named


class OfEveryResult(Instead):
    """Context in which a backward pass begins at every result, with zeros where the snippet's own
    brings no gradient: AOTAutograd's does, since its backward graph takes a gradient of each
    result. Zero times NaN or an infinity is then NaN, and eager does not compute it at all."""

    active: "OfEveryResult | None" = None

    def __enter__(self) -> Any:
        OfEveryResult.active = self
        return super().__enter__()

    def __exit__(self, *raised: Any) -> None:
        OfEveryResult.active = None
        super().__exit__(*raised)


def _zeros_beside(
    gradients: Mapping[int, torch.Tensor], leaves: Sequence[Any]
) -> dict[int, torch.Tensor]:
    """The zeros of OfEveryResult, by the places of the results; none outside of its context."""
    if OfEveryResult.active is None:
        return {}
    others = {i: x for i, x in enumerate(leaves) if i not in gradients and _records(x)}
    OfEveryResult.active.called = bool(others)
    return {i: torch.zeros_like(x) for i, x in others.items()}


def _records(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and x.requires_grad


def own_name(fn: Callable[..., Any], name: str) -> str:
    """The snippet's name for the input that `with_backward`'s program calls `name`: `args.0` is the
    first parameter of `fn`, and `fn.2.weight` is `2.weight`."""
    of, _, rest = name.partition(".")
    if of == "args":
        number, _, path = rest.partition(".")
        known = dict(enumerate(argument_names(fn)))
        return ".".join(filter(None, (known.get(int(number), f"arg{number}"), path)))
    return rest if of in ("fn", "kwargs") and rest else name
