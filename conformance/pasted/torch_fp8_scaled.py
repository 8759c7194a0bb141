import torch

E4M3_MAX = torch.finfo(torch.float8_e4m3fn).max


def to_fp8_block(x, block=16):
    m, n = x.shape
    v = x.view(m, n // block, block)
    amax = v.abs().float().amax(dim=2).clamp(1e-4)
    q = (v * (448.0 / amax.unsqueeze(2))).to(torch.float8_e4m3fn)
    return q.view(m, n), amax / 448.0


def from_fp8_block(q, s, block=16):
    return (q.float().view(q.shape[0], -1, block) * s[..., None]).view(q.shape)


@torch.compile
def fp8_linear(x, w):
    xq, xs = to_fp8_block(x)
    wq, ws = to_fp8_block(w)
    y = torch.zeros(x.shape[0], w.shape[0])
    for i in range(x.shape[1] // 16):
        sl = slice(16 * i, 16 * i + 16)
        y += (xq[:, sl].float() @ wq[:, sl].float().T) * xs[:, i:i + 1] * ws[:, i]
    return y.to(torch.bfloat16), xq, xs


def int4_group_dequant(packed, scales, zeros, group=32):
    """packed int32 (K // 8, N): eight nibbles each, AutoGPTQ's layout."""
    shifts = torch.arange(0, 32, 4, dtype=torch.int32)
    w = (packed[:, None, :] >> shifts[None, :, None]) & 0xF
    w = w.reshape(-1, packed.shape[1])
    g = torch.arange(w.shape[0]) // group
    return (w - zeros[g]) * scales[g]


@torch.compile
def gptq_matmul(x, packed, scales, zeros):
    return x.half() @ int4_group_dequant(packed, scales, zeros).half()


torch.manual_seed(0)
print(fp8_linear(torch.randn(8, 64), torch.randn(32, 64))[0].shape)
packed = torch.randint(-2**31, 2**31 - 1, (8, 24), dtype=torch.int32)
print(gptq_matmul(torch.randn(4, 64), packed, torch.rand(2, 24) * 0.1, torch.randint(0, 16, (2, 24), dtype=torch.int32)).shape)
