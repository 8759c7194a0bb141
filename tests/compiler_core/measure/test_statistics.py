"""Medians, intervals and verdicts of samples with a known answer."""

import numpy as np
import pytest

from compiler_core.measure.statistics import (
    Ratio,
    pays_after_calls,
    ratio,
    repeated,
    spread,
    verdict,
)

RNG = np.random.default_rng(1)


def test_spread_is_median_and_quartiles():
    found = spread([5, 1, 2, 3, 4])
    assert (found.p25, found.median, found.p75) == (2, 3, 4)


def test_a_real_difference_is_outside_the_interval():
    base, other = RNG.normal(20, 1, 40), RNG.normal(10, 1, 40)
    found = ratio(base, other)
    assert 1.8 < found.low < found.value < found.high < 2.2
    assert verdict(found) == "faster" and verdict(ratio(other, base)) == "slower"


def test_noise_alone_is_no_verdict():
    base, other = RNG.normal(10, 2, 30), RNG.normal(10, 2, 30)
    assert verdict(ratio(base, other)) == "same within noise"


def test_a_round_that_was_slow_for_both_says_nothing_of_either():
    """Paired resampling: the ratio of two equal programs is 1 however the machine wavers."""
    load = RNG.choice([10.0, 100.0], 40)
    found = ratio(load, load)
    assert (found.low, found.value, found.high) == (1, 1, 1)


def test_the_interval_is_the_same_for_the_same_samples():
    base, other = RNG.normal(20, 3, 30), RNG.normal(18, 3, 30)
    assert ratio(base, other) == ratio(base, other)


def test_repeated_measurements_are_expected_in_a_wider_interval():
    narrow, wide = repeated(Ratio(2, 2, 2)), repeated(Ratio(2, 1.5, 2.5))
    assert 1.9 < narrow.low < 2 < narrow.high < 2.1
    assert 1.49 < wide.low < 1.5 and 2.5 < wide.high < 2.51


@pytest.mark.parametrize(
    ("cost_ms", "eager_us", "own_us", "calls"),
    [(100, 30, 20, 10_000), (0.001, 3, 2, 1), (100, 20, 20, None), (100, 20, 30, None)],
)
def test_compiling_pays_when_calls_have_saved_what_it_cost(cost_ms, eager_us, own_us, calls):
    assert pays_after_calls(cost_ms, eager_us, own_us) == calls
