"""Arithmetic on symbolic sizes, held against numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compiler_core.ir import sizes
from compiler_core.ir.parse import _Parser
from compiler_core.ir.sizes import Size, Symbol, Undecided, size, solve

B = Symbol("B", hint=32, low=2, high=1024)
T = Symbol("T", hint=128)
# A multiple of four.
R = Symbol("R", hint=64, low=4, multiple=4)
b, t, r = size(B), size(T), size(R)

LEAVES = st.one_of(st.integers(-9, 9), st.sampled_from([b, t, r]))


def _polynomial(inner):
    return st.tuples(st.sampled_from("+-*"), inner, inner).map(
        lambda x: {"+": x[1] + x[2], "-": x[1] - x[2], "*": x[1] * x[2]}[x[0]]
    )


POLYNOMIALS = st.recursive(LEAVES, _polynomial, max_leaves=6)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        _polynomial(inner),
        st.tuples(
            st.sampled_from([sizes.floordiv, sizes.modulo, sizes.ceildiv]), inner,
            st.integers(1, 9),
        ).map(lambda x: x[0](x[1], x[2])),
    ),
    max_leaves=6,
)  # fmt: skip
VALUES = st.fixed_dictionaries(
    {
        B: st.integers(2, 1024),
        T: st.integers(2, 5000),
        R: st.integers(1, 500).map(lambda n: 4 * n),
    }
)


@given(EXPRESSIONS, st.integers(1, 12), VALUES)
def test_a_quotient_is_rounded_down_and_a_remainder_is_what_it_leaves(x, by, values):
    value = sizes.evaluate(x, values)
    assert sizes.evaluate(sizes.floordiv(x, by), values) == value // by
    assert sizes.evaluate(sizes.modulo(x, by), values) == value % by
    assert sizes.evaluate(sizes.ceildiv(x, by), values) == -(-value // by)


@given(POLYNOMIALS, st.integers(2, 12))
def test_a_remainder_is_less_than_its_divisor(x, by):
    low, high = sizes.bounds(sizes.modulo(x, by))
    assert low is not None and low >= 0 and high is not None and high < by


@given(EXPRESSIONS)
def test_a_size_is_read_as_it_is_written(x):
    text = f"graph f[B = 32 in 2..1024, R = 64 in 4.. by 4, T = 128 in 2..](%0: f32[{x}]) {{"
    parser = _Parser(text + "}")
    while parser.next != "]":
        parser.take()
    parser.symbols = {"B": B, "R": R, "T": T}
    while parser.take() != "f32":
        pass
    assert parser.sequence(parser.size, "[", "]") == [x]


@pytest.mark.parametrize(
    ("dim", "said"),
    [
        (sizes.floordiv(b + 3, 4), "floordiv(B + 3, 4)"),
        (sizes.floordiv(4 * b + 6, 4), "B + 1"),
        (sizes.floordiv(2 * b + 1, 4), "floordiv(B, 2)"),
        (sizes.floordiv(b - 1, 2) + 1, "floordiv(B + 1, 2)"),
        (sizes.floordiv(sizes.floordiv(b + 1, 2) + 1, 2), "floordiv(B + 3, 4)"),
        (sizes.floordiv(-b, 4), "-floordiv(B + 3, 4)"),
        (b + sizes.modulo(-b, 4), "4*floordiv(B + 3, 4)"),
        (sizes.modulo(b, 2), "B - 2*floordiv(B, 2)"),
        (r, "R"),
        (sizes.floordiv(r, 4), "floordiv(R, 4)"),
        (sizes.floordiv(r, 2), "2*floordiv(R, 4)"),
        (sizes.floordiv(r, 4) * 4 * b, "B*R"),
        (sizes.floordiv(r + 3, 4), "floordiv(R, 4)"),
        (sizes.modulo(r, 4) + 1, "1"),
    ],
)
def test_quotients_that_are_equal_are_written_alike(dim, said):
    assert str(dim) == said


def test_what_a_quotient_is_less_than_is_proved():
    half = sizes.ceildiv(b, 2)
    assert half * 2 >= b and half <= b and b - sizes.floordiv(b, 4) * 4 < 4
    assert sizes.is_proved(lambda: 2 * (half - 1) < b)


def test_a_multiple_that_a_shape_is_not_is_named():
    assert solve([((r,), (15,))]) == "R is 15; this compilation serves multiples of 4"
    assert solve([((sizes.floordiv(r, 4), r), (4, 16))]) == {R: 16}
    assert solve([((b, sizes.ceildiv(b, 2)), (7, 4))]) == {B: 7}
    wrong = "a size is 3, the program was compiled for floordiv(B + 1, 2) = 4"
    assert solve([((b, sizes.ceildiv(b, 2)), (7, 3))]) == wrong


@given(EXPRESSIONS, EXPRESSIONS, VALUES)
def test_arithmetic_and_evaluation_commute(x, y, values):
    def at(dim):
        return sizes.evaluate(dim, values)

    assert at(x + y) == at(x) + at(y)
    assert at(x - y) == at(x) - at(y)
    assert at(x * y) == at(x) * at(y)


@given(EXPRESSIONS, VALUES)
def test_every_value_is_within_the_bounds(x, values):
    low, high = sizes.bounds(x)
    value = sizes.evaluate(x, values)
    assert (low is None or low <= value) and (high is None or value <= high)


@given(EXPRESSIONS, EXPRESSIONS, VALUES)
def test_an_order_that_is_answered_holds_for_every_value(x, y, values):
    try:
        answer = x < y
    except Undecided:
        return
    assert answer == (sizes.evaluate(x, values) < sizes.evaluate(y, values))


@given(EXPRESSIONS, st.sampled_from([b, t, 4, b * t, b * 2]))
def test_a_product_divides_by_its_factor(x, factor):
    assert sizes.divided(x * factor, factor) == x


def test_nothing_divides_by_a_sum():
    assert sizes.divided(0, b * t + b) == 0


def test_sizes_that_are_alike_are_equal():
    assert b + b == 2 * b and hash(b + b) == hash(2 * b) and b * t == t * b and b != 64


def test_what_depends_on_no_symbol_is_a_number():
    assert type(b - b + 4) is int and not isinstance(sizes.product([2, 3]), Size)


def test_a_division_that_may_leave_a_rest_is_refused():
    with pytest.raises(Undecided, match="B // 3"):
        b // 3


def test_an_order_that_depends_on_the_value_is_refused():
    with pytest.raises(Undecided, match="depends on the size"):
        _ = b < 64


def test_costs_are_estimated_at_the_hint():
    assert sizes.hint(4 * b * t + 1) == 4 * 32 * 128 + 1


@pytest.mark.parametrize(
    ("dim", "said"),
    [(b, "B"), (2 * b + 1, "2*B + 1"), (b * t - 3, "B*T - 3"), (1 - b, "-B + 1")],
)
def test_a_size_reads_as_it_is_written(dim, said):
    assert str(dim) == said


def test_a_symbol_is_solved_from_a_size_that_is_made_of_it_alone():
    assert solve([((2 * b + 1,), (15,))]) == {B: 7}
    assert solve([((2 * b,), (15,))]) == "a size is 15, the program was compiled for 2*B = 14"
    assert solve([((b * t,), (15,))]) == "no input says what B, T is"


def test_symbols_are_solved_from_the_shapes_of_a_call():
    assert solve([((b, 512), (7, 512)), ((2 * b,), (14,))]) == {B: 7}


@pytest.mark.parametrize(
    ("shapes", "said"),
    [
        ([((b, 512), (7, 513))], "a size is 513, the program was compiled for 512"),
        ([((b,), (7,)), ((2 * b,), (15,))], "a size is 15, the program was compiled for 2*B = 14"),
        ([((b,), (2000,))], "B is 2000; this compilation serves 2 to 1024"),
        ([((t,), (1,))], "T is 1; this compilation serves 2 and more"),
    ],
)
def test_a_shape_that_does_not_fit_is_named(shapes, said):
    assert solve(shapes) == said


@given(EXPRESSIONS, st.sampled_from([b, t, 4, b * t]), VALUES)
def test_a_quotient_with_its_rest_is_that_of_every_value(x, by, values):
    try:
        whole, rest = sizes.quotient(x, by)
    except Undecided:
        return
    expected = divmod(sizes.evaluate(x, values), sizes.evaluate(by, values))
    assert (sizes.evaluate(whole, values), sizes.evaluate(rest, values)) == expected


def test_a_quotient_takes_the_terms_apart():
    assert sizes.quotient(b * t + t - 1, t) == (b, t - 1)
    assert sizes.quotient(b - 1, b) == (0, b - 1)


def test_the_least_of_a_sum_of_products_is_found_where_terms_take_from_one_another():
    assert sizes.bounds(b * t - t)[0] == 2
    assert b * t - t - b + 1 > 0


def test_a_size_is_one_factor_of_an_expression():
    assert [sizes.atom(x) for x in (512, b, 2 * b, b + 1)] == ["512", "B", "(2*B)", "(B + 1)"]


def test_what_is_not_proved_is_not_so():
    assert sizes.is_proved(lambda: b >= 2) and not sizes.is_proved(lambda: b >= 3)
    assert sizes.at_most(b, 1024) and not sizes.at_most(b, 1023) and not sizes.at_most(t, 10**9)
    assert sizes.at_least(b, 2) and not sizes.at_least(b, 3)
    assert sizes.is_multiple(6 * b, 3) and not sizes.is_multiple(b, 2)
