"""Intervals hold what they say, of noise that is alike for longer than a round lasts."""

import numpy as np
import pytest

from compiler_core.measure.bootstrap import interval
from compiler_core.measure.statistics import ratio
from tests.sweep_plugin import thinned

BLOCKS, ROUNDS = 12, 8
NUMBERS = np.repeat(np.arange(BLOCKS), ROUNDS)
PAIRS = 100


def wavering(rng: np.random.Generator, alike: float, size: float, gap: int) -> np.ndarray:
    """Logarithms of a factor that forgets itself over `alike` rounds (an Ornstein-Uhlenbeck
    process); `gap` rounds are left out between two blocks."""
    steps = BLOCKS * (ROUNDS + gap)
    keep = np.exp(-1 / alike)
    values = [rng.normal(0, size)]
    for step in rng.normal(0, size * np.sqrt(1 - keep**2), steps - 1):
        values.append(values[-1] * keep + step)
    taken = np.arange(steps).reshape(BLOCKS, ROUNDS + gap)[:, :ROUNDS]
    return np.asarray(values)[taken.ravel()]


def pair(rng: np.random.Generator, alike: float, gap: int = ROUNDS) -> tuple:
    """Samples of two programs, of which one takes twice as long: what wavers for both, for each
    alone, noise of a sample, and now and then an interruption."""
    both = wavering(rng, 10 * alike, 0.2, gap)

    def samples(us: float) -> np.ndarray:
        noise = rng.normal(0, 0.02, both.size)
        interrupted = np.where(rng.random(both.size) < 0.03, rng.exponential(1.0, both.size), 0)
        return us * np.exp(both + wavering(rng, alike, 0.05, gap) + noise + interrupted)

    return samples(20.0), samples(10.0)


def held(alike: float, blocks: np.ndarray) -> int:
    """How many of the intervals of PAIRS measurements hold the median of all their ratios."""
    rng = np.random.default_rng(int(alike * 10))
    found = [ratio(*pair(rng, alike), blocks) for _ in range(PAIRS)]
    pooled = float(np.median([each.value for each in found]))
    return sum(each.low <= pooled <= each.high for each in found)


@pytest.mark.parametrize("alike", thinned([0.1, 10.0, 20.0], kept=(20.0,)))
def test_93_of_100_intervals_hold_the_median_of_all(alike):
    """Noise that lasts for a tenth of a round, about a block, and more than two."""
    assert held(alike, NUMBERS) >= 93


def test_rounds_that_are_taken_for_independent_give_too_narrow_intervals():
    assert held(20.0, np.arange(NUMBERS.size)) < 80


def test_the_interval_of_quiet_samples_is_narrow():
    low, high = interval([20.0, 20.2] * 48, [10.0, 10.1] * 48, NUMBERS)
    assert 1.97 < low <= 2.0 <= high < 2.03


@pytest.mark.parametrize("rounds", [2, 3, 5])
def test_few_rounds_hold_the_median_as_often_as_many(rounds):
    """Their extremes would in half of all cases, where there are two."""
    rng = np.random.default_rng(rounds)
    noise = rng.standard_t(3, (400, 2, rounds)) * 0.2
    found = [interval(*np.exp(each), range(rounds)) for each in noise]
    assert sum(low <= 1 <= high for low, high in found) >= 0.93 * len(found)


def test_few_rounds_tell_what_is_far_apart():
    low, high = interval([20.0, 21.0, 20.0], [10.0, 10.0, 10.2], range(3))
    assert 1.7 < low < 2 < high < 2.4


def test_one_round_tells_nothing():
    low, high = interval([37.0], [10.0], range(1))
    assert low < 1 < high
