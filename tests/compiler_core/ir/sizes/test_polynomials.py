"""Polynomials, held against numbers."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler_core.ir.sizes import polynomials

MONOMIALS = st.sampled_from([(), ("b",), ("t",), ("b", "t"), ("b", "b")])
TERMS = st.dictionaries(MONOMIALS, st.integers(-6, 6), max_size=4)
RANGES = {"b": (2, 5), "t": (3, None)}


def value(terms, at):
    total = 0
    for monomial, coefficient in dict(terms).items():
        for variable in monomial:
            coefficient *= at[variable]
        total += coefficient
    return total


POINTS = [{"b": b, "t": t} for b, t in product(range(2, 6), range(3, 9))]


@given(TERMS, TERMS)
def test_sums_and_products_are_those_of_the_values(a, b):
    for at in POINTS:
        assert value(polynomials.add(a, b), at) == value(a, at) + value(b, at)
        assert value(polynomials.multiply(a, b), at) == value(a, at) * value(b, at)


@given(TERMS, MONOMIALS, st.integers(1, 4))
def test_a_product_with_a_term_divides_by_it(a, factor, coefficient):
    quotient = polynomials.divide(
        polynomials.multiply(a, {factor: coefficient}), factor, coefficient
    )
    assert polynomials.canonical(quotient) == polynomials.canonical(a)


@pytest.mark.parametrize(
    ("factor", "coefficient"), [(("t",), 1), ((), 4), ((), 0)], ids=["t", "4", "0"]
)
def test_a_division_that_leaves_a_remainder_has_no_quotient(factor, coefficient):
    assert polynomials.divide({("b",): 2}, factor, coefficient) is None


@given(TERMS)
def test_values_are_within_the_bounds(terms):
    low, high = polynomials.bounds(terms, RANGES)
    for at in POINTS:
        found = value(terms, at)
        assert (low is None or low <= found) and (high is None or found <= high)


def test_terms_that_cancel_do_not_loosen_the_bounds():
    assert polynomials.bounds({("b", "t"): 1, ("t",): -2}, RANGES) == (0, None)


def test_the_text_has_the_highest_degree_first():
    assert polynomials.text({(): 1, ("t",): -1, ("b", "t"): 2, ("b",): 0}) == "2*b*t - t + 1"
