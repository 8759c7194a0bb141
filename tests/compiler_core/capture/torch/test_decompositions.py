"""Operations without a rule, by torch's decompositions."""

import pytest
import torch

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu


def _each_in_its_row(x):
    """An operation that torch decomposes, of another shape each time."""
    return [torch.ops.aten.select_backward(x[:n], [4, n], 0, n % 4) for n in range(2, 14)]


def test_many_decompositions_do_not_take_each_others_tensors_for_their_own():
    """Several times, as what is freed between two of them decides."""
    for _ in range(5):
        result = agrees(captured("torch", _each_in_its_row, torch.rand(20)))
        assert not library_calls(result)
