import torch


@torch.compile
def update(batch):
    x = batch["x"]
    return {"y": x * 2, "nested": {"z": (x + 1, x - 1)}, "name": batch["name"]}


update({"x": torch.randn(4, 4), "name": "train"})
