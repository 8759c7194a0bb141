"""8-bit floats are their bytes: torch's own conversions, bit by bit, and native."""

import numpy as np
import pytest
import torch

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

TYPES = pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2], ids=str)
BYTES = torch.arange(256, dtype=torch.uint8)
_BITS = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint64).astype(np.uint32)
# Any f32, and the numbers around each that the types have: between two of these the nearest is
# decided, and at their ends.
EDGES = torch.cat(
    [
        torch.from_numpy(_BITS.view(np.float32)),
        *(
            BYTES.view(dtype).float().mul(factor).nextafter(torch.tensor(towards))
            for dtype in (torch.float8_e4m3fn, torch.float8_e5m2)
            for factor in (1.0, 1.0625, 1.125, 1.5)
            for towards in (-torch.inf, 0.0, torch.inf)
        ),
    ]
)


def native(fn, *args):
    assert library_calls(agrees(captured("torch", fn, *args))) == []


@TYPES
def test_every_byte_is_its_number(dtype):
    native(lambda x: (x.view(dtype).float(), x.view(dtype).bfloat16()), BYTES)


@TYPES
def test_numbers_are_rounded_as_torch_rounds(dtype):
    native(lambda x: x.to(dtype).view(torch.uint8), EDGES)


@TYPES
def test_bytes_move_as_they_are(dtype):
    def f(x):
        y = x.view(dtype).reshape(2, 8, 16)
        y = torch.cat([y.flip(0), y.transpose(1, 2).reshape(2, 8, 16)])[:, 1::2]
        y = y.unfold(2, 4, 2)
        return y.contiguous().view(torch.uint8)

    native(f, BYTES)


@TYPES
def test_a_tensor_of_them_is_written_to(dtype):
    def f(x):
        y = torch.zeros(4, 64, dtype=dtype)
        y[1] = x[:64]
        y[2, :3].fill_(2.0)
        return y.float()

    native(f, EDGES.nan_to_num(0.0))


@TYPES
def test_the_gradient_of_a_conversion_is_converted(dtype):
    def f(x, g):
        y = x.detach().requires_grad_()
        (dy,) = torch.autograd.grad(y.to(dtype).float() * 2, y, g)
        return dy

    native(f, EDGES[:64].nan_to_num(0.0), torch.linspace(-3, 3, 64))
