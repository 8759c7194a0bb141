"""Margin losses: a class that keeps its margin adds nothing, and NaN keeps every margin, as in the
loops of aten/src/ATen/native/LossMultiMargin.cpp and LossMultiLabelMargin.cpp.

torch's own decompositions differ: they add NaN, and the multi-label loss also adds what belongs to
labels after the first negative one, which should end the list.
"""

from collections.abc import Callable

import torch
from torch import Tensor

_MEAN, _SUM = 1, 2


def _of_one_label(
    x: Tensor,
    target: Tensor,
    p: float = 1,
    margin: float = 1,
    weight: Tensor | None = None,
    reduction: int = _MEAN,
) -> Tensor:
    rows, label = torch.atleast_2d(x), torch.atleast_1d(target).unsqueeze(1)
    short = margin - rows.gather(1, label) + rows
    lost = short if p == 1 else short * short
    if weight is not None:
        lost = lost * weight[label]
    others = torch.arange(rows.shape[1], device=x.device) != label
    means = torch.where(others & (short > 0), lost, 0).mean(1)
    return _reduced(means, target.shape, reduction)


def _of_several_labels(x: Tensor, target: Tensor, reduction: int) -> tuple[Tensor, Tensor]:
    rows, labels = torch.atleast_2d(x), torch.atleast_2d(target)
    classes = torch.arange(rows.shape[1], device=x.device)
    end = torch.where(labels < 0, classes, rows.shape[1]).amin(1, keepdim=True)
    counts = (classes < end).unsqueeze(2)
    labels = torch.where(classes < end, labels, 0)
    is_own = ((classes == labels.unsqueeze(2)) & counts).any(1)
    short = 1 - rows.gather(1, labels).unsqueeze(2) + rows.unsqueeze(1)
    lost = torch.where(counts & ~is_own.unsqueeze(1) & (short > 0), short, 0)
    means = lost.sum((1, 2)) / rows.shape[1]
    return _reduced(means, x.shape[:-1], reduction), is_own.to(x.dtype).reshape(target.shape)


def _reduced(means: Tensor, shape: torch.Size, reduction: int) -> Tensor:
    if reduction == _MEAN:
        return means.mean()
    return means.sum() if reduction == _SUM else means.reshape(shape)


TABLE: dict[str, Callable[..., object]] = {
    "multi_margin_loss": _of_one_label,
    "multilabel_margin_loss_forward": _of_several_labels,
}
