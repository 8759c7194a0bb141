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
