"""torch tensors and JAX arrays over the same memory."""

import jax
import jax.numpy as jnp
import pytest
import torch

from compiler_core.interop.arrays import to_jax, to_torch

pytestmark = pytest.mark.cpu

DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int8, torch.bool]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 4)])
def test_values_come_back_as_they_went(dtype, shape):
    x = (torch.rand(shape) * 4).to(dtype)
    there = to_jax(x)
    assert isinstance(there, jax.Array) and there.shape == shape
    assert torch.equal(to_torch(there), x)


def test_aligned_memory_is_shared():
    x = torch.rand(64)
    assert to_jax(x).unsafe_buffer_pointer() == x.data_ptr()
    y = jnp.arange(64.0)
    assert to_torch(y).data_ptr() == y.unsafe_buffer_pointer()


def test_misaligned_and_strided_tensors_are_copied_right():
    base = torch.rand(64)
    for x in (base[1:17], base[::3], base.view(8, 8).t()):
        assert torch.equal(to_torch(to_jax(x)), x)


def test_a_tensor_that_needs_a_gradient_is_taken():
    x = torch.rand(4, requires_grad=True)
    assert torch.equal(to_torch(to_jax(x)), x.detach())
