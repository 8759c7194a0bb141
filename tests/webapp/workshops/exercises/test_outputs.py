"""Outputs held against those of the reference."""

import pytest

from compiler_core.report import Sample
from webapp.workshops.exercises import outputs

RIGHT = [[Sample([2, 2], ["1.0", "2.0", "nan"]), Sample([], ["3.0"])]]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (RIGHT, ""),
        ([[Sample([2, 2], ["1.0", "2.0001", "nan"]), RIGHT[0][1]]], ""),
        (
            [[Sample([2, 2], ["1.0", "2.1", "nan"]), RIGHT[0][1]]],
            "in output 0, a value is 2.1 where the reference has 2",
        ),
        (
            [[Sample([2, 2], ["1.0", "2.0", "0.0"]), RIGHT[0][1]]],
            "in output 0, a value is 0 where the reference has nan",
        ),
        (
            [[Sample([4], ["1.0", "2.0", "nan"]), RIGHT[0][1]]],
            "in output 0, the shape is [4], and the reference's [2, 2]",
        ),
        ([[RIGHT[0][0]]], "it gives 1 outputs, and the reference 2"),
        ([*RIGHT, *RIGHT], "it was not called as often as the reference"),
        (
            [[Sample([2, 2], ["1.0"]), RIGHT[0][1]]],
            "in output 0, there are not as many values as in",
        ),
    ],
)
def test_where_outputs_differ_is_said(given, told):
    assert outputs.difference(given, RIGHT, 1e-4).startswith(told)
    assert bool(outputs.difference(given, RIGHT, 1e-4)) == bool(told)


def test_a_part_of_all_that_is_wrong_is_seen_where_none_of_its_elements_was_drawn():
    right, wrong = ([[Sample([512], ["1.0"], [text, "0.5"])]] for text in ("0.25", "0.2"))
    told = outputs.difference(wrong, right, 1e-4)
    assert told == "a sum over a part of the values is 0.2 where the reference has 0.25"
    assert outputs.difference(right, right, 1e-4) == ""


def test_what_is_no_number_is_none():
    assert outputs.difference([[Sample([], ["1" * 500, "x"])]], [[Sample([], ["1", "2"])]], 1e-4)
