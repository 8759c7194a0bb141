"""Ranges hold whatever a graph computes, also where integers wrap and floats round."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.ir.ranges import range_of

# What is computed of %0: i32[64], and what is known of it.
KNOWN = {
    "%1 = convert(%0) : i8[64]": (-128, 127),
    "%1 = add(%0, %0) : i32[64]": (-(2**31), 2**31 - 1),
    "%1 = constant() {value = 7} : i32[64]; %2 = minimum(%0, %1) : i32[64]; "
    "%3 = constant() {value = -2} : i32[64]; %4 = maximum(%2, %3) : i32[64]; "
    "%5 = multiply(%4, %4) : i32[64]": (-14, 49),
    "%1 = constant() {value = 8} : i32[64]; %2 = remainder(%0, %1) : i32[64]": (-7, 7),
    "%1 = iota() {dimension = 0} : f32[64]; %2 = constant() {value = 0.3} : f32[64]; "
    "%3 = multiply(%1, %2) : f32[64]; %4 = convert(%3) : i64[64]": (0, 18),
    "%1 = iota() {dimension = 0} : i32[64]; %2 = reverse(%1) {dimensions = (0)} : i32[64]; "
    "%3 = concatenate(%2, %0) {dimension = 0} : i32[128]": (-(2**31), 2**31 - 1),
    "%1 = convert(%0) : f32[64]; %2 = convert(%1) : bool[64]": (0, 1),
}


def graph_of(given, lines):
    """The graph of lines with semicolons between them, which returns the last."""
    every = lines.split("; ")
    text, result = "\n  ".join(every), every[-1].split(" = ")[0]
    return parse(f"graph f(%0: {given}) {{\n  {text}\n  return {result}\n}}\n")


@pytest.mark.parametrize("lines", KNOWN)
def test_a_range_holds_every_element(lines):
    graph, (low, high) = graph_of("i32[64]", lines), KNOWN[lines]
    assert range_of(graph.outputs[0]) == (low, high)
    given = np.random.default_rng(0).integers(-(2**31), 2**31, 64, dtype=np.int32)
    (found,) = evaluate(graph, [given])
    assert low <= found.min() and found.max() <= high


# Of floats of which some are NaN, infinite or too large.
NUMBERS = {
    "%1 = constant() {value = 0.0} : f32[8]; %2 = compare(%0, %0) {direction = NE} : bool[8]; "
    "%3 = select(%2, %1, %0) : f32[8]; %4 = maximum(%3, %1) : f32[8]": None,
    "%1 = constant() {value = 0.0} : f32[8]; %2 = constant() {value = 255.0} : f32[8]; "
    "%3 = multiply(%0, %2) : f32[8]; %4 = round_nearest_even(%3) : f32[8]; "
    "%5 = maximum(%1, %4) : f32[8]; %6 = minimum(%5, %2) : f32[8]; "
    "%7 = compare(%6, %6) {direction = EQ} : bool[8]; "
    "%8 = select(%7, %6, %1) : f32[8]": (0, 255),
    "%1 = constant() {value = -1.5} : f32[8]; %2 = constant() {value = 3.0e38} : f32[8]; "
    "%3 = maximum(%0, %1) : f32[8]; %4 = minimum(%3, %2) : f32[8]; %5 = add(%4, %4) : f32[8]; "
    "%6 = compare(%5, %5) {direction = NE} : bool[8]; "
    "%7 = select(%6, %1, %5) : f32[8]": None,
    "%1 = constant() {value = 2.0} : f32[8]; %2 = subtract(%0, %0) : f32[8]; "
    "%3 = minimum(%2, %1) : f32[8]; %4 = compare(%3, %3) {direction = NE} : bool[8]; "
    "%5 = select(%4, %1, %3) : f32[8]; %6 = convert(%5) : i32[8]": (-(2**31), 2**31 - 1),
}


@pytest.mark.parametrize("lines", NUMBERS)
def test_what_is_chosen_where_it_is_a_number_has_the_range_of_its_numbers(lines):
    graph, known = graph_of("f32[8]", lines), NUMBERS[lines]
    assert range_of(graph.outputs[0]) == known
    given = np.float32([np.nan, np.inf, -np.inf, 3e38, -3e38, 0.3, -0.0, 7])
    with np.errstate(all="ignore"):
        (found,) = evaluate(graph, [given])
    low, high = known or (-np.inf, np.inf)
    assert low <= found.min() and found.max() <= high


@pytest.mark.parametrize(
    "lines",
    [
        "%1 = add(%0, %0) : f32[8]",
        "%1 = constant() {value = inf} : f32[8]; %2 = maximum(%1, %1) : f32[8]",
        "%1 = convert(%0) : bf16[8]",
    ],
)
def test_a_float_that_may_be_nan_or_infinite_has_none(lines):
    assert range_of(graph_of("f32[8]", lines).outputs[0]) is None
