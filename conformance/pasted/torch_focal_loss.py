import torch
import torch.nn as nn
import torch.nn.functional as F

class FocalLoss(nn.Module):
    def __init__(self, gamma=2, alpha=None, reduction="mean", task_type="binary", num_classes=None):
        super().__init__()
        self.gamma, self.alpha, self.reduction = gamma, alpha, reduction
        self.task_type, self.num_classes = task_type, num_classes

    def forward(self, inputs, targets):
        if self.task_type == "binary":
            return self.binary(inputs, targets)
        elif self.task_type == "multi-class":
            ce = F.cross_entropy(inputs, targets, reduction="none")
            pt = torch.exp(-ce)
            return ((1 - pt) ** self.gamma * ce).mean()
        raise ValueError(f"Unsupported task_type '{self.task_type}'")

    def binary(self, inputs, targets):
        probs = torch.sigmoid(inputs)
        targets = targets.float()
        bce = F.binary_cross_entropy_with_logits(inputs, targets, reduction="none")
        p_t = probs * targets + (1 - probs) * (1 - targets)
        loss = (1 - p_t) ** self.gamma * bce
        if self.alpha is not None:
            loss = (self.alpha * targets + (1 - self.alpha) * (1 - targets)) * loss
        return loss.mean() if self.reduction == "mean" else loss.sum()

crit = FocalLoss(gamma=2, alpha=0.25)
print(crit(torch.randn(16, 5), torch.randint(0, 2, (16, 5))))
multi = FocalLoss(task_type="multi-class", num_classes=10)
print(multi(torch.randn(16, 10), torch.randint(0, 10, (16,))))
