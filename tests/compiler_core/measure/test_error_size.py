"""The error of a value, in units of its own type, at the element where it is largest."""

import math

import pytest
import torch

from compiler_core.measure.error_size import error_size, unit
from compiler_core.report import ErrorSize

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_unit_is_the_distance_to_the_next_number(dtype):
    x = torch.tensor([1.0, 1.5, 3.0, 0.1, 1024.0], dtype=dtype)
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    after = (x.view(bits) + 1).view(dtype)
    assert torch.equal(unit(x.double(), dtype), after.double() - x.double())


@pytest.mark.parametrize("dtype", FLOATS[1:])
def test_what_is_rounded_to_nearest_is_off_by_half_a_unit_at_most_and_differs_nowhere(dtype):
    exact = torch.linspace(0.5, 3, 1001, dtype=torch.float64)
    size = error_size(exact.to(dtype), exact)
    assert 0 < size.max_ulps <= 0.5 and size.differing == 0


def test_what_is_exact_has_no_error():
    x = torch.tensor([1.0, -0.0, math.inf, math.nan])
    assert error_size(x, x.double()) == ErrorSize()


def test_the_place_of_the_largest_error_is_named_with_both_values():
    exact = torch.ones(3, 300_000, dtype=torch.float64)
    x = exact.float()
    x[2, 7] = 1.25
    size = error_size(x, exact)
    assert (size.index, size.got, size.exact) == ([2, 7], 1.25, 1.0)
    assert (size.max_abs, size.max_rel, size.differing) == (0.25, 0.25, 1)
    assert size.max_ulps == 2.0**21


def test_an_element_that_cancels_is_held_against_the_others():
    exact = torch.tensor([1.0, 1e-30], dtype=torch.float64)
    assert error_size(torch.tensor([1.0, 1e-9]), exact).max_rel < 1e-6


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_what_is_no_number_where_one_should_be_has_no_finite_error(wrong):
    size = error_size(torch.tensor([2.0, wrong]), torch.tensor([2.0, 3.0], dtype=torch.float64))
    assert (size.max_abs, size.max_rel, size.max_ulps) == (None, None, None)
    assert (size.index, size.got, size.exact, size.differing) == ([1], None, 3.0, 1)


def test_an_infinity_beyond_the_types_range_is_no_error():
    assert error_size(torch.tensor([math.inf]), torch.tensor([1e39]).double()) == ErrorSize()


@pytest.mark.parametrize(
    "dtype", [torch.bool, torch.int64, torch.uint8, torch.uint32, torch.uint64]
)
def test_integers_that_differ_are_counted(dtype):
    exact = torch.tensor([0, 1, 1, 0]).to(dtype)
    other = torch.tensor([0, 1, 0, 1]).to(dtype)
    assert error_size(exact, exact) == ErrorSize()
    size = error_size(other, exact)
    assert (size.differing, size.max_ulps, size.max_abs) == (2, None, 1.0) or dtype is torch.uint64
    assert size.index == [2]


def test_no_elements_have_no_error():
    assert error_size(torch.empty(0, 3), torch.empty(0, 3).double()) == ErrorSize()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_what_is_compared_is_left_as_it_was(dtype):
    x, exact = torch.tensor([1.5, 2.0], dtype=dtype), torch.tensor([1.0, 2.0]).double()
    assert error_size(x, exact).max_abs == 0.5
    assert (x.tolist(), exact.tolist()) == ([1.5, 2.0], [1.0, 2.0])
