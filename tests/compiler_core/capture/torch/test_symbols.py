"""torch's symbolic sizes as ours."""

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from compiler_core.capture.torch.guarding import question_of
from compiler_core.capture.torch.symbols import dim_of
from compiler_core.ir.sizes import MOST, Undecided, ceildiv, floordiv, hint, modulo, symbols


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


def test_quotients_and_remainders_are_sizes(sizes):
    a, b = sizes
    ours = dim_of(a)
    assert dim_of(a // 4) == floordiv(ours, 4) and dim_of((a + 1) // 2) == ceildiv(ours, 2)
    assert dim_of(a % 4) == modulo(ours, 4) and dim_of(-a % 4 + a) == ceildiv(ours, 4) * 4
    assert dim_of(a * b // b) == ours


def test_what_torch_has_divided_without_a_rest_is_a_multiple(sizes):
    a, _ = sizes
    assert a % 3 == 0
    (symbol,) = symbols(dim_of(a))
    assert (symbol.multiple, symbol.low) == (3, 3) and str(dim_of(a)) == symbol.name
    assert dim_of(a // 3) * 3 == dim_of(a)


def test_a_quotient_of_two_sizes_is_undecided(sizes):
    a, b = sizes
    with pytest.raises(Undecided, match=r"a size is .*//.*, which is no sum, product or quotient"):
        dim_of((a + 1) // b)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Eq(s62, 0) == False", "torch asks whether S62 is 0, and goes on by the answer"),
        (
            "Ne(s0*s1, 8) == True",
            "torch asks whether S0*S1 is other than 8, and goes on by the answer",
        ),
        ("s7 < 2 == False", "torch asks whether S7 < 2, and goes on by the answer"),
        ("in other words", "torch has asked for the value of a size"),
    ],
)
def test_what_torch_refuses_to_guard_is_said_in_words(question, said):
    assert question_of(f"Guard attempted while ShapeEnv guards are frozen: {question}") == said
