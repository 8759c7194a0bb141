import torch


@torch.library.custom_op("acme::scaled_silu", mutates_args=())
def scaled_silu(x: torch.Tensor, s: float) -> torch.Tensor:
    return torch.nn.functional.silu(x) * s


@scaled_silu.register_fake
def _(x, s):
    return torch.empty_like(x)


def setup(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.s = inputs[1]


def backward(ctx, g):
    (x,) = ctx.saved_tensors
    sig = torch.sigmoid(x)
    return g * ctx.s * (sig * (1 + x * (1 - sig))), None


scaled_silu.register_autograd(backward, setup_context=setup)


@torch.library.custom_op("acme::inc_", mutates_args={"buf"})
def inc_(buf: torch.Tensor, by: torch.Tensor) -> None:
    buf.add_(by)


@torch.compile(fullgraph=True)
def f(x, buf):
    inc_(buf, x.detach().sum())
    return scaled_silu(x + 1, 0.5).sum() + buf


x = torch.randn(16, requires_grad=True)
f(x, torch.zeros(())).backward()
print(x.grad)
