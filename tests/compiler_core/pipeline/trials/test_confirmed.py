"""A gain is told where two samplings show it."""

import numpy as np
import pytest

from compiler_core.measure.machine import Used
from compiler_core.measure.sampling import BLOCKS, Samples
from compiler_core.pipeline.trials.comparison import confirmed


def samples(before: float, after: float, seed: int) -> Samples:
    noise = np.random.default_rng(seed).normal(0, 0.02, (2, 2 * BLOCKS))
    times = np.exp(noise) * np.array([[before], [after]]) * 1e3
    ns = {"core before": [*times[0]], "core after": [*times[1]]}
    blocks = [number // 2 for number in range(2 * BLOCKS)]
    return Samples(ns, blocks, {}, {}, (), 0, 3, Used(1.0, 2, None))


def told(*samplings: tuple[float, float]):
    left = [samples(*each, seed) for seed, each in enumerate(samplings)]
    (time,) = confirmed(["core"], lambda: left.pop(0))
    return time, len(left)


@pytest.mark.parametrize("second", [(10.0, 10.0), (10.0, 30.0)])
def test_what_a_second_sampling_does_not_show_is_noise(second):
    time, _ = told((37.0, 10.0), second)
    assert time.verdict == "same within noise"
    assert time.speedup_low <= 1 <= time.speedup_high


def test_what_both_show_is_told_of_all_samples():
    time, _ = told((37.0, 10.0), (35.0, 10.0))
    assert time.verdict == "faster" and time.samples == 4 * BLOCKS
    assert 3.4 < time.speedup_low < 3.6 < time.speedup_high < 3.8


def test_what_is_noise_at_once_is_not_sampled_again():
    time, left = told((10.0, 10.0), (30.0, 10.0))
    assert time.verdict == "same within noise" and left == 1
