"""Statistics of interleaved samples: medians, quartiles, and whether a difference is
significant."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2000
_SEED = 0


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and quartiles, in the unit of the samples."""

    median: float
    p25: float
    p75: float


def spread(samples: Sequence[float]) -> Spread:
    """The median and quartiles of samples, in their unit."""
    p25, median, p75 = np.percentile(np.asarray(samples), [25, 50, 75])
    return Spread(float(median), float(p25), float(p75))


@dataclass(frozen=True, slots=True)
class Ratio:
    """median(base) / median(other), with its 95 % confidence interval."""

    value: float
    low: float
    high: float


def ratio(base: Sequence[float], other: Sequence[float]) -> Ratio:
    """The ratio and its interval by the percentile bootstrap over rounds (Efron and Tibshirani, "An
    Introduction to the Bootstrap", 1993). base[i] and other[i] are of one round and are drawn
    together, so that a disturbance of a whole round affects both."""
    b, o = np.asarray(base), np.asarray(other)
    picks = np.random.default_rng(_SEED).integers(0, len(b), (_RESAMPLES, len(b)))
    ratios = np.median(b[picks], axis=1) / np.median(o[picks], axis=1)
    low, high = np.percentile(ratios, [2.5, 97.5])
    return Ratio(float(np.median(b) / np.median(o)), float(low), float(high))


def verdict(speedup: Ratio, median_us: float, floor_us: float) -> str:
    """The report's verdict: "faster" or "slower" if the interval excludes 1, else "same within
    noise"; "below the physical floor" if the median is under `floor_us`."""
    if median_us < floor_us:
        return "below the physical floor"
    if speedup.low > 1:
        return "faster"
    return "slower" if speedup.high < 1 else "same within noise"


def pays_after_calls(cost_ms: float, eager_us: float, median_us: float) -> int | None:
    """The number of calls after which `cost_ms` of compiling is saved; None if no time is saved."""
    gain = eager_us - median_us
    return math.ceil(cost_ms * 1e3 / gain) if gain > 0 else None
