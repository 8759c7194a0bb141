"""What interleaved samples say: medians, quartiles, and whether a difference is one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2000
_SEED = 0


@dataclass(frozen=True, slots=True)
class Spread:
    median: float
    p25: float
    p75: float


def spread(samples: Sequence[float]) -> Spread:
    p25, median, p75 = np.percentile(np.asarray(samples), [25, 50, 75])
    return Spread(float(median), float(p25), float(p75))


@dataclass(frozen=True, slots=True)
class Ratio:
    """median(base) / median(other), and the interval that holds it with 95 % confidence."""

    value: float
    low: float
    high: float


def ratio(base: Sequence[float], other: Sequence[float]) -> Ratio:
    """By the percentile bootstrap over rounds: samples that were taken in turn are drawn
    together, so that what slowed a whole round down slows both sides."""
    b, o = np.asarray(base), np.asarray(other)
    picks = np.random.default_rng(_SEED).integers(0, len(b), (_RESAMPLES, len(b)))
    ratios = np.median(b[picks], axis=1) / np.median(o[picks], axis=1)
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Ratio(float(np.median(b) / np.median(o)), float(low), float(high))


def verdict(speedup: Ratio, median_us: float, floor_us: float) -> str:
    """The report's verdict on a ratio and a median, by the interval and the physical floor."""
    if median_us < floor_us:
        return "below the physical floor"
    if speedup.low > 1:
        return "faster"
    return "slower" if speedup.high < 1 else "same within noise"


def pays_after_calls(cost_ms: float, eager_us: float, median_us: float) -> int | None:
    """After how many calls what was saved is more than what compiling cost; None for never."""
    gain = eager_us - median_us
    return math.ceil(cost_ms * 1e3 / gain) if gain > 0 else None
