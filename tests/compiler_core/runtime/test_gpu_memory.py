"""A GPU program's buffers: what is allocated, and how inputs and results become kernels' own. The
CPU's tensors stand for a GPU's."""

import pytest
import torch
from torch._C._dynamo import guards

from compiler_core.ir.types import BF16, F32, TensorType
from compiler_core.runtime import gpu_memory
from compiler_core.runtime.gpu_memory import Fresh, Given, Result

CPU = torch.device("cpu")


@pytest.mark.parametrize("shape", [(4, 6), (), (0, 3)], ids=str)
def test_a_gpus_buffer_is_allocated_as_inductors_are(
    shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the same function, of the CPU's kind: it refuses whatever is no tuple."""
    monkeypatch.setattr(gpu_memory, "empty_on_gpu", guards._empty_strided_cpu)
    new = Fresh("y", TensorType(BF16, shape), torch.device("cuda")).empty()
    assert (new.shape, new.dtype, new.is_contiguous()) == (shape, torch.bfloat16, True)


def test_an_input_that_kernels_can_take_is_taken_as_it_is() -> None:
    x = torch.ones(4, 6)
    assert Given("x", TensorType(F32, (4, 6)), CPU).dense(x) is x


def test_one_with_gaps_or_at_an_odd_address_is_copied() -> None:
    turned, odd = torch.rand(6, 4).mT, torch.rand(25)[1:].view(4, 6)
    for x in (turned, odd):
        dense = Given("x", TensorType(F32, (4, 6)), CPU).dense(x)
        assert dense.is_contiguous() and dense.data_ptr() % 16 == 0
        assert torch.equal(dense, x)


def test_a_parameter_is_taken_without_its_gradient() -> None:
    weight = torch.nn.Parameter(torch.ones(4))
    assert not Given("w", TensorType(F32, (4,)), CPU).dense(weight).requires_grad


def test_a_result_has_its_own_shape_and_is_a_copy_where_it_shares_memory() -> None:
    memory = {"y": torch.rand(24)}
    seen, copied = (Result("y", TensorType(F32, (4, 6)), c).of(memory) for c in (False, True))
    assert seen.shape == copied.shape == (4, 6)
    assert seen.data_ptr() == memory["y"].data_ptr() != copied.data_ptr()
