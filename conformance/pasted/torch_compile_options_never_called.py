import torch


@torch.compile(mode="max-autotune", fullgraph=True)
def dice_loss(pred: torch.Tensor, target: torch.Tensor, smooth: float = 1.0):
    pred = torch.sigmoid(pred).flatten(1)
    target = target.flatten(1)
    inter = (pred * target).sum(1)
    return 1 - ((2 * inter + smooth) / (pred.sum(1) + target.sum(1) + smooth)).mean()
