"""torch's symbolic sizes as ours."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from compiler_core.capture.torch.symbols import dim_of
from compiler_core.ir.sizes import MOST, Undecided, hint, symbols


@pytest.fixture
def sizes():
    """Two sizes of a fake tensor, 6 and 10 in this call."""
    x = FakeTensorMode(shape_env=ShapeEnv()).from_tensor(torch.empty(6, 10))
    assert isinstance(x.shape[0], torch.SymInt)
    return x.shape


def test_a_number_stays_one():
    assert dim_of(7) == 7


def test_a_symbol_has_the_range_and_the_hint_of_torchs(sizes):
    (symbol,) = symbols(dim_of(sizes[0]))
    assert (symbol.low, symbol.high, symbol.hint) == (2, MOST, 6)


def test_a_polynomial_is_the_same_polynomial(sizes):
    a, b = sizes
    ours = dim_of(a), dim_of(b)
    assert dim_of(a * b * 2 - a + 3) == ours[0] * ours[1] * 2 - ours[0] + 3
    assert hint(dim_of(a * a)) == 36


def test_a_quotient_with_a_rest_is_undecided(sizes):
    with pytest.raises(Undecided, match="no sum of products of sizes"):
        dim_of(sizes[0] // 4)
