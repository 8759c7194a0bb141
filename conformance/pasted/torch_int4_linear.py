import torch


@torch.compile
def w4_linear(x, packed, scales, zeros):
    low = (packed & 0x0F).to(torch.int8)
    high = (packed >> 4).to(torch.int8)
    w = torch.stack([low, high], dim=-1).reshape(packed.shape[0], -1).float()
    w = w.reshape(w.shape[0], -1, 32)
    w = (w - zeros[..., None]) * scales[..., None]
    return x @ w.reshape(w.shape[0], -1).t()


packed = torch.randint(0, 256, (16, 32), dtype=torch.uint8)
print(w4_linear(torch.randn(4, 64), packed, torch.rand(16, 2), torch.full((16, 2), 8.0)).shape)
