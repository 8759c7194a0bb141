"""Losses that are single operations in torch, and gradients of which torch's own decompositions are
others where an element is NaN or infinite, as programs of simpler ones."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from compiler_core.capture.torch.compositions.gradients import gradients

# torch's codes of reductions.
_EACH, _MEAN = 0, 1


def _in_python(operation: Any) -> Callable[..., object]:
    """What torch.library was given for an operation."""
    function: Callable[..., object] = operation._init_fn
    return function


def _multilabel_margin_loss(x: Tensor, target: Tensor, reduction: int) -> tuple[Tensor, Tensor]:
    """Of each row's labels up to the first -1, which torch's own decomposition adds to the loss as
    well; and which classes are labels."""
    rows, labels = torch.atleast_2d(x), torch.atleast_2d(target)
    classes, place = rows.shape[1], torch.arange(rows.shape[1])
    end = torch.where(labels == -1, place, classes).amin(1, keepdim=True)
    inside = place < end
    own = rows.gather(1, torch.where(inside, labels, 0)).unsqueeze(2)
    given = torch.where(inside, labels, -1).unsqueeze(2)
    is_label = (given == place).any(1)
    counts = inside.unsqueeze(2) & ~is_label.unsqueeze(1)
    margin = (1 - own + rows.unsqueeze(1)).clamp_min(0) / classes
    loss = torch.where(counts, margin, 0).sum((1, 2))
    if reduction != _EACH:
        loss = loss.mean() if reduction == _MEAN else loss.sum()
    elif x.dim() < 2:
        loss = loss.squeeze(0)
    return loss, is_label.to(x.dtype).reshape(target.shape)


def _multilabel_margin_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, reduction: int, is_label: Tensor
) -> Tensor:
    def loss(given: Tensor) -> Tensor:
        return _multilabel_margin_loss(given, target, reduction)[0]

    return gradients(loss, grad, (x,))[0]


def _smooth_l1_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, reduction: int, beta: float
) -> Tensor:
    """torch's own decomposition loses a NaN: the sign of one is 0."""
    away = x - target
    share = 1 / x.numel() if reduction == _MEAN else 1.0
    outside = torch.where(away >= beta, share * grad, share * away * grad / beta)
    return torch.where(away <= -beta, -share * grad, outside)


def _soft_margin_loss_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int) -> Tensor:
    """As torch's kernel, which is NaN where the exponential is infinite."""
    share = 1 / x.numel() if reduction == _MEAN else 1.0
    grown = torch.exp(-target * x)
    return -target * grown / (grown + 1) * share * grad


def _nll_loss_backward(
    grad: Tensor, x: Tensor, target: Tensor, weight: Tensor | None, reduction: int,
    ignore_index: int, total_weight: Tensor,
) -> Tensor:  # fmt: skip
    """That of each target alone: torch's own decomposition multiplies the others by 0, and a weight
    of infinity makes them NaN."""
    classes = 0 if x.dim() < 2 else 1
    shape = [-1 if d == classes else 1 for d in range(x.dim())]
    own = (target[0] if x.dim() < target.dim() + 1 else target).unsqueeze(classes)
    share = -(grad / total_weight if reduction == _MEAN else grad)
    share = share.unsqueeze(classes) if 0 < share.dim() < x.dim() else share
    if weight is not None:
        share = share * weight.reshape(shape)
    place = torch.arange(x.shape[classes], device=x.device).reshape(shape)
    return torch.where((place == own) & (own != ignore_index), share, 0)


def _softshrink(x: Tensor, lambd: float = 0.5) -> Tensor:
    """torch's own decomposition multiplies by 0 between the bounds, whose gradient is NaN where
    what comes in is infinite."""
    inside = torch.where(x.isnan(), x.detach(), 0)
    return torch.where(x.abs() > lambd, x - x.sign() * lambd, inside)


def _chunked() -> dict[str, Callable[..., object]]:
    """Those that torch has from 2.13 on."""
    try:
        from torch.nn.modules import linear_cross_entropy as own
    except ImportError:
        return {}
    once = "_linear_cross_entropy_batch_chunked"
    names = (once, f"{once}_no_reduction")
    return {f"torch_nn::{name}": _in_python(getattr(own, name)) for name in names}


TABLE: dict[str, Callable[..., object]] = {
    "multilabel_margin_loss_forward": _multilabel_margin_loss,
    "multilabel_margin_loss_backward": _multilabel_margin_loss_backward,
    "nll_loss_backward": _nll_loss_backward,
    "nll_loss2d_backward": _nll_loss_backward,
    "softshrink": _softshrink,
    "soft_margin_loss_backward": _soft_margin_loss_backward,
    "smooth_l1_loss_backward": _smooth_l1_loss_backward,
    **_chunked(),
}
