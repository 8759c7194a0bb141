"""Errors against float64, and when they are all right."""

import math

import pytest
import torch

from compiler_core import report
from compiler_core.measure import numerics
from compiler_core.measure.numerics import Reference, as_before, check

INF, NAN = math.inf, math.nan


def f32(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32)


def f64(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


def judged(output: torch.Tensor, reference: torch.Tensor, eager: torch.Tensor | None = None):
    """What is said of one output."""
    own = reference.to(output.dtype) if eager is None else eager
    return check({"eager": [own], "core": [output]}, Reference([reference]))["core"]


def test_the_largest_errors_are_given():
    found = judged(f32(1.5, 10.0), f64(1.0, 10.5))
    assert found.max_abs_error == 0.5 and found.max_rel_error == pytest.approx(0.5)
    assert not found.ok and "output 0 is off by 0.5, eager by 0" in found.error


def test_of_eager_it_is_said_how_far_it_is_off_and_not_that_eager_is():
    off = {"eager": [f32(1.5)], "core": [f32(2.0)]}
    found = check(off, Reference([f64(1.0)]))
    assert found["eager"].error == "output 0 is off by 0.5"
    assert found["core"].error == "output 0 is off by 1, eager by 0.5"


def test_how_far_outputs_are_off_is_found_once_for_all_verdicts(monkeypatch):
    found, real = [], numerics.error_of
    monkeypatch.setattr(numerics, "error_of", lambda *x: found.append(x) or real(*x))
    x = f32(1.0, 2.0)
    compared = numerics.Compared({"eager": [x], "core": [x]}, Reference([x.double()]))
    assert all(n.ok for _ in range(4) for n in compared.verdicts([[x]]).values())
    assert len(found) == 2


def test_each_element_may_be_what_eager_may_give_as_well():
    exact, also = f64(NAN, 1.0, NAN), [[f32(NAN, NAN, 2.0)], [f32(3.0, 1.0, NAN)]]
    reference = Reference([exact], also=also)
    for output, ok in (((3.0, NAN, 2.0), True), ((NAN, 1.0, NAN), True), ((4.0, 1.0, NAN), False)):
        given = {"eager": [exact.float()], "core": [f32(*output)]}
        assert check(given, reference)["core"].ok is ok


def test_an_element_that_cancels_to_nothing_counts_relative_to_the_whole():
    found = judged(f32(1e-7, 1.0), f64(0.0, 1.0))
    assert found.max_rel_error == pytest.approx(1e-7 / (0.01 * math.sqrt(0.5)), rel=1e-3)
    assert found.ok
    # The same error of elements that are all small is not forgiven.
    assert not judged(f32(1e-7), f64(1e-9)).ok


def test_twice_eagers_error_is_all_right_and_more_is_not():
    eager, reference = f32(1.0001), f64(1.0)
    assert judged(f32(0.99981), reference, eager).ok
    assert not judged(f32(0.99979), reference, eager).ok


def test_an_error_of_eagers_that_is_none_of_rounding_allows_no_other():
    eager, reference = f32(13.0), f64(1.0)
    checked = check({"eager": [eager], "core": [f32(-10.0)]}, Reference([reference]))
    assert not checked["eager"].ok and not checked["core"].ok
    moved = [[f32(9.0)], [f32(16.0)]]
    checked = check({"eager": [eager], "core": [f32(-10.0)]}, Reference([reference]), moved)
    assert checked["eager"].ok and checked["core"].ok


@pytest.mark.parametrize("other", [3000.0, NAN])
def test_an_element_that_cancels_excuses_no_other(other):
    """Which eager's result changes by where its inputs are rounded otherwise: that alone."""
    exact, moved = f64(1e6, 1.0, 2.0), [[f32(1.005e6, 1.0, 2.0)], [f32(0.99e6, 1.0, 2.0)]]
    for output, ok in (((1.001e6, 1.0, 2.0), True), ((1.001e6, other, 2.0), False)):
        given = {"eager": [exact.float()], "core": [f32(*output)]}
        assert check(given, Reference([exact]), moved)["core"].ok is ok


@pytest.mark.parametrize(("off", "right"), [(9e-4, True), (0.01, False)])
def test_where_there_is_nothing_but_rounding_no_rounding_is_typical(off, right):
    """As of the gradient behind a norm of equal numbers, which is zero."""
    moved = [[f32(3e-4, -2e-4, 1e-4)], [f32(-1e-4, 3e-4, 2e-4)]]
    given = {"eager": [f32(0.0, 0.0, 0.0)], "core": [f32(off, -off, off)]}
    checked = check(given, Reference([f64(0.0, 0.0, 0.0)]), moved)
    assert checked["core"].ok is right
    there = {"eager": [f32(1.0, 1.0, 1.0)], "core": [f32(1 + off, 1 - off, 1 + off)]}
    near = [[one[0] + 1] for one in moved]
    assert not check(there, Reference([f64(1.0, 1.0, 1.0)]), near)["core"].ok


def test_who_was_wrong_before_is_not_right_by_timed_calls():
    found = check({"eager": [f32(1.0)], "core": [f32(2.0)]}, Reference([f64(1.0)]))
    timed = check({"eager": [f32(1.0)], "core": [f32(1.0)]}, Reference([f64(1.0)]))
    assert timed["core"].ok and as_before(found, timed) == timed | {"core": found["core"]}


def test_eagers_error_at_a_large_element_excuses_none_of_a_small_one():
    exact = torch.ones(10_000, dtype=torch.float64)
    exact[0] = 1e6
    eager, core = exact.float(), exact.float()
    eager[0], core[1] = 1e6 + 60, 101.0
    assert not judged(core, exact, eager).ok


def test_what_eager_gives_is_right_element_by_element():
    """Where it overflows on the way, and float64 does not; and the other way round."""
    reference, eager = f64(2.0, 5.0, 7.0), f32(NAN, 5.0, INF)
    assert judged(f32(NAN, 5.0, INF), reference, eager).ok
    assert judged(f32(2.0, 5.0, INF), reference, eager).ok
    assert not judged(f32(NAN, NAN, INF), reference, eager).ok
    assert not judged(f32(NAN, 5.0, -INF), reference, eager).ok
    assert not judged(f32(3.0, 5.0, 7.0), reference, eager).ok


@pytest.mark.parametrize(
    ("output", "ok"),
    [
        ((NAN, NAN, INF, 0.9999), True),
        ((NAN, NAN, INF, 1.01), False),
        ((NAN, INF, INF, 1.0), False),
        ((0.0, NAN, INF, 1.0), False),
    ],
)
def test_what_is_lost_in_eager_too_is_right_as_far_as_rounding_moves_eagers(output, ok):
    """A product of many: infinite in eager and not in float64, and rounded in what is left."""
    exact, eager, moved = (
        f64(NAN, 1e30, 2e30, 5.0),
        f32(NAN, NAN, INF, 1.0),
        f32(NAN, 3, INF, 1.0001),
    )
    found = check({"eager": [eager], "core": [f32(*output)]}, Reference([exact]), [[moved]])
    assert found["core"].ok is ok and not found["eager"].ok


def test_an_integer_is_the_exact_one_or_one_of_eagers():
    def found(x, moved=()):
        given = {"eager": [torch.tensor([4, 9])], "core": [torch.tensor(x)]}
        return check(given, Reference([f64(3.0, 9.0)]), [[torch.tensor(m)] for m in moved])["core"]

    assert found([3, 9]).ok and found([4, 9]).ok and not found([5, 9]).ok
    assert found([5, 9], [[5, 9]]).ok and not found([5, 8], [[5, 9]]).ok


@pytest.mark.parametrize(
    ("dtype", "step"),
    [(torch.float32, 1e-5), (torch.float16, 2e-3), (torch.bfloat16, 2e-2), (torch.float64, 5e-11)],
)
def test_the_tolerance_is_the_types(dtype, step):
    reference = f64(1.0)
    assert judged((reference + step).to(dtype), reference).ok
    assert not judged((reference + 10 * step).to(dtype), reference).ok


def test_integers_have_no_tolerance():
    assert judged(torch.tensor([7]), f64(7.0)).ok
    assert not judged(torch.tensor([8]), f64(7.0)).ok


@pytest.mark.parametrize(
    ("output", "reference", "ok"),
    [
        (f32(NAN, 1), f64(NAN, 1), True),
        (f32(0, 1), f64(NAN, 1), False),
        (f32(NAN, 1), f64(0, 1), False),
        (f32(INF, 1), f64(INF, 1), True),
        (f32(-INF, 1), f64(INF, 1), False),
        (f32(INF, 1), f64(3e38, 1), False),
        (f32(1, 1), f64(INF, 1), False),
        (f32(NAN, 2), f64(NAN, 1), False),
        (f32(NAN, INF, 1.01), f64(NAN, INF, 1), False),
        (f32(NAN, INF, 1), f64(NAN, INF, 1), True),
        # Beyond what f32 can hold, infinity is the right answer.
        (f32(INF, 1), f64(1e300, 1), True),
    ],
)
def test_nan_and_infinity_stand_where_the_reference_has_them(output, reference, ok):
    assert judged(output, reference).ok is ok


def test_a_wrong_type_or_shape_or_number_of_outputs_is_named():
    reference, eager = f64(1.0), f32(1.0)
    assert "float64[1] instead of float32[1]" in judged(f64(1.0), reference, eager).error
    assert "float32[1, 1] instead of" in judged(f32(1.0)[None], reference, eager).error
    missing = check({"eager": [eager, eager], "core": [eager]}, Reference([reference, reference]))[
        "core"
    ]
    assert missing.error == "1 outputs instead of 2" and not missing.ok


def test_outputs_of_no_elements_are_right():
    assert judged(f32(), f64()).ok


@pytest.mark.parametrize("wrong", [NAN, INF])
def test_an_error_that_is_no_number_is_none_and_can_be_written(wrong):
    found = judged(f32(wrong, 1.0), f64(2.0, 1.0))
    assert not found.ok and found.max_abs_error is None and found.max_rel_error is None
    event = report.Facts(0, numerics={"core": found})
    assert report.decode_event(report.encode_event(event)) == event
