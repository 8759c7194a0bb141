import torch
import torch._dynamo


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


explanation = torch._dynamo.explain(toy)(torch.randn(10), torch.randn(10))
print(explanation.graph_break_count)
