import torch
from torch import Tensor


def box_iou(boxes1: Tensor, boxes2: Tensor) -> Tensor:
    area1 = (boxes1[:, 2] - boxes1[:, 0]) * (boxes1[:, 3] - boxes1[:, 1])
    area2 = (boxes2[:, 2] - boxes2[:, 0]) * (boxes2[:, 3] - boxes2[:, 1])
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area1[:, None] + area2 - inter)


def fast_nms(boxes: Tensor, scores: Tensor, iou_threshold: float = 0.5, top_k: int = 20):
    """YOLACT's Fast NMS"""
    scores, idx = scores.sort(1, descending=True)
    idx = idx[:, :top_k]
    scores = scores[:, :top_k]
    num_classes, num_dets = idx.size()
    boxes = boxes[idx.reshape(-1), :].view(num_classes, num_dets, 4)
    lt = torch.max(boxes[:, :, None, :2], boxes[:, None, :, :2])
    rb = torch.min(boxes[:, :, None, 2:], boxes[:, None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
    iou = inter / (area[:, :, None] + area[:, None] - inter)
    iou.triu_(diagonal=1)
    iou_max, _ = iou.max(dim=1)
    keep = iou_max <= iou_threshold
    keep *= scores > 0.05
    classes = torch.arange(num_classes)[:, None].expand_as(keep)
    return boxes[keep], classes[keep], scores[keep]


def giou_loss(pred: Tensor, target: Tensor, eps: float = 1e-7) -> Tensor:
    inter = (torch.min(pred[..., 2:], target[..., 2:]) - torch.max(pred[..., :2], target[..., :2])).clamp_(0).prod(-1)
    hull = (torch.max(pred[..., 2:], target[..., 2:]) - torch.min(pred[..., :2], target[..., :2])).clamp_(0).prod(-1)
    a1 = (pred[..., 2:] - pred[..., :2]).prod(-1)
    a2 = (target[..., 2:] - target[..., :2]).prod(-1)
    union = a1 + a2 - inter + eps
    return (1 - inter / union + (hull - union) / (hull + eps)).mean()
