"""A function followed by the backward pass that the snippet ran on its results."""

from collections.abc import Callable, Mapping
from typing import Any

import torch

from compiler_core.interop.structures import leaves_of
from compiler_core.snippet.signature import argument_names


def with_backward(fn: Callable[..., Any], gradients: Mapping[int, torch.Tensor]) -> Any:
    """`fn` followed by a backward pass from its results. `gradients` maps the position of a result
    among the flattened ones to the gradient that the snippet's own backward pass gave it."""

    def program(*args: Any, **kwargs: Any) -> Any:
        result = fn(*args, **kwargs)
        leaves = leaves_of(result)
        torch.autograd.backward([leaves[i] for i in gradients], list(gradients.values()))
        return result

    named: Any = program
    named.fuselab_original = fn
    named.__name__ = getattr(fn, "__name__", type(fn).__name__)
    return named


def own_name(fn: Callable[..., Any], name: str) -> str:
    """What the snippet calls an input `name` of `program` above: `args.0` is the first parameter of
    `fn`, and `fn.2.weight` is `2.weight`."""
    of, _, rest = name.partition(".")
    if of == "args":
        number, _, path = rest.partition(".")
        known = dict(enumerate(argument_names(fn)))
        return ".".join(filter(None, (known.get(int(number), f"arg{number}"), path)))
    return rest if of in ("fn", "kwargs") and rest else name
