"""Operations on lists of tensors, and optimizers' steps over them, one tensor at a time: fusion
decides what shares a kernel."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

_NAMES = (
    "abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1",
    "floor", "frac", "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round",
    "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "zero", "add",
    "sub", "mul", "div", "maximum", "minimum", "clamp_min", "clamp_max", "pow", "lerp",
    "copy", "addcmul", "addcdiv",
)  # fmt: skip
_TERNARY = ("addcmul", "addcdiv")


def _each(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Of lists, one element of each; anything else is the same for all."""

    def rule(tensors: Sequence[Tensor], *rest: Any, **named: Any) -> Any:
        results = []
        for i, x in enumerate(tensors):
            mine = [r[i] if isinstance(r, tuple | list) else r for r in rest]
            results.append(operation(x, *mine, **named))
        return results

    return rule


def _with_value(operation: Callable[..., Any]) -> Callable[..., Any]:
    """The last argument is the factor of the product, or of the quotient."""
    return lambda x, y, z, value=1: operation(x, y, z, value=value)


def _extremum(x: Tensor, other: Any, operation: Callable[..., Tensor]) -> Tensor:
    return operation(x, other if isinstance(other, Tensor) else torch.full_like(x, other))


def _zero(x: Tensor) -> Tensor:
    return torch.zeros_like(x)


def _copy(x: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    return x.clone().copy_(source)


def _norm(x: Tensor, order: float = 2, dtype: torch.dtype | None = None) -> Tensor:
    return torch.linalg.vector_norm(x, order, dtype=dtype)


_OWN = {"zero": _zero, "copy": _copy}


def _function(name: str) -> Callable[..., Any]:
    if name in ("maximum", "minimum"):
        return lambda x, other: _extremum(x, other, getattr(torch, name))
    function: Any = _OWN.get(name) or getattr(torch, name)
    return _with_value(function) if name in _TERNARY else function


def _method(name: str) -> Callable[..., Any]:
    if name in ("maximum", "minimum"):
        return lambda x, other: x.copy_(_extremum(x, other, getattr(torch, name)))
    method: Callable[..., Any] = getattr(Tensor, f"{name}_")
    return _with_value(method) if name in _TERNARY else method


def _in_place(operation: Callable[..., Any]) -> Callable[..., None]:
    def rule(*args: Any, **named: Any) -> None:
        _each(operation)(*args, **named)

    return rule


# -- optimizers. `options` are the operation's own keyword arguments.


def _is_scaled(options: Mapping[str, Any]) -> bool:
    """A gradient that is scaled, or left out where it is infinite, is torch's own to handle."""
    return any(options.get(name) is not None for name in ("grad_scale", "found_inf"))


def _gradient(weight: Tensor, grad: Tensor, options: Mapping[str, Any], decay: float) -> Tensor:
    grad = -grad if options["maximize"] else grad
    return grad + weight * decay if decay else grad


def _adam(*, decoupled: bool) -> Callable[..., object]:
    """Adam, whose weight decay is a part of the gradient, or is `decoupled` from it (AdamW). The
    steps have been counted already."""

    def rule(weights: Sequence[Tensor], *state: Sequence[Tensor], **options: Any) -> object:
        if _is_scaled(options):
            return NotImplemented
        grads, means, squares, largest, steps = state
        decay, rate = options["weight_decay"], options["lr"]
        for i, weight in enumerate(weights):
            if decoupled and decay:
                weight.mul_(1 - rate * decay)
            grad = _gradient(weight, grads[i], options, 0 if decoupled else decay)
            means[i].lerp_(grad, 1 - options["beta1"])
            squares[i].mul_(options["beta2"]).addcmul_(grad, grad, value=1 - options["beta2"])
            second = squares[i]
            if options["amsgrad"]:
                second = largest[i].copy_(torch.maximum(largest[i], second))
            first, root = (1 - torch.pow(options[b], steps[i]) for b in ("beta1", "beta2"))
            size = second.sqrt() / root.sqrt() + options["eps"]
            weight.sub_(rate / first * (means[i] / size))
        return None

    return rule


def _sgd(
    weights: Sequence[Tensor], grads: Sequence[Tensor], momenta: Sequence[Tensor], **options: Any
) -> object:
    if _is_scaled(options):
        return NotImplemented
    momentum = options["momentum"]
    for i, weight in enumerate(weights):
        grad = _gradient(weight, grads[i], options, options["weight_decay"])
        if momentum and options["is_first_step"]:
            momenta[i].copy_(grad)
        elif momentum:
            momenta[i].mul_(momentum).add_(grad, alpha=1 - options["dampening"])
        if momentum:
            grad = grad + momenta[i] * momentum if options["nesterov"] else momenta[i]
        weight.sub_(options["lr"] * grad)
    return None


TABLE: dict[str, Callable[..., object]] = {
    **{f"_foreach_{name}": _each(_function(name)) for name in _NAMES},
    **{f"_foreach_{name}_": _in_place(_method(name)) for name in _NAMES},
    "_foreach_norm": _each(_norm),
    "_fused_adam_": _adam(decoupled=False),
    "_fused_adamw_": _adam(decoupled=True),
    "_fused_sgd_": _sgd,
}
