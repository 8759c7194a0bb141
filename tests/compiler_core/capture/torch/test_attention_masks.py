"""What attention does not read, as torch has it on a CPU: no score under a causal mask is read,
while a mask that is given is added, so that NaN stays NaN."""

import itertools

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from compiler_core.api import dynamo_backend
from tests.compiler_core.capture.oracle import agrees, captured
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu
SEEN = torch.ones(9, 9, dtype=torch.bool).tril()
PLACES = {"q": 0, "k": 1, "v": 2}


def causal(q, k, v):
    return scaled_dot_product_attention(q, k, v, is_causal=True)


def grouped(q, k, v):
    return scaled_dot_product_attention(q, k[:, :1], v[:, :1], is_causal=True, enable_gqa=True)


def scaled(q, k, v):
    return scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)


def chosen(q, k, v):
    return scaled_dot_product_attention(q, k, v, attn_mask=SEEN)


def added(q, k, v):
    mask = torch.zeros(9, 9, dtype=q.dtype).masked_fill(~SEEN, -torch.inf)
    return scaled_dot_product_attention(q, k, v, attn_mask=mask)


def window(q, k, v):
    return scaled_dot_product_attention(q, k, v, attn_mask=SEEN & ~SEEN.tril(-4))


def capped(q, k, v):
    scores = 5 * torch.tanh(q @ k.mT / 5)
    return torch.softmax(scores.masked_fill(~SEEN, -torch.inf), -1) @ v


def of_three_dimensions(q, k, v):
    """Torch has no closed kernel for them."""
    return causal(q[0], k[0], v[0])


FUNCTIONS = (causal, grouped, scaled, chosen, added, window, capped, of_three_dimensions)


def given(of, place, value):
    generator = torch.Generator().manual_seed(1)
    tensors = [torch.randn(1, 2, 9, 8, generator=generator, dtype=torch.float64) for _ in "qkv"]
    tensors[PLACES[of]][0, :, place, 3] = value
    return tensors


VALUES = (torch.nan, torch.inf, -torch.inf)
KEPT = [(fn, torch.nan) for fn in FUNCTIONS] + [
    (causal, torch.inf), (added, torch.inf), (capped, -torch.inf), (window, -torch.inf),
]  # fmt: skip


@pytest.mark.parametrize(("fn", "value"), thinned(itertools.product(FUNCTIONS, VALUES), KEPT))
def test_what_is_masked_is_read_where_torch_reads_it(fn, value):
    for of in PLACES:
        for place in (4, 8):
            agrees(captured("torch", fn, *given(of, place, value)))


def test_gradients_where_the_mask_is_not_square():
    generator = torch.Generator().manual_seed(1)
    q, k = (torch.randn(2, n, 8, generator=generator, requires_grad=True) for n in (3, 6))

    def run(fn):
        return torch.autograd.grad(fn(q, k, k).sin().sum(), (q, k))

    torch._dynamo.reset()
    ours = run(torch.compile(causal, backend=dynamo_backend.fuselab))
    torch.testing.assert_close(ours, run(causal))
