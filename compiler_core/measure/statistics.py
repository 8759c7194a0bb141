"""Statistics of interleaved samples: medians, quartiles, and whether a difference is
significant."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from compiler_core.measure import bootstrap

Verdict = Literal["faster", "slower", "same within noise"]

# The 97.5 % quantile of the normal distribution.
_NORMAL = 1.96
# The standard deviation of a ratio's logarithm from process to process, beyond what the samples of
# one process show: where its memory lies, which processor its threads are on (bench/pairs.py).
BETWEEN = 0.01


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


def ratio(base: Sequence[float], other: Sequence[float], blocks: Sequence[int] = ()) -> Ratio:
    """The ratio and its interval by a bootstrap over blocks of rounds (bootstrap.py). base[i] and
    other[i] are of one round, which is of the block blocks[i]; each of its own where none are
    given."""
    value = spread(base).median / spread(other).median
    low, high = bootstrap.interval(base, other, blocks if len(blocks) else range(len(base)))
    return Ratio(value, min(low, value), max(high, value))


def repeated(found: Ratio) -> Ratio:
    """`found` with the interval in which it is expected when everything is measured anew: with what
    differs from process to process. Both are independent, so that their half-widths, of logarithms,
    are added as squares."""

    def beyond(end: float) -> float:
        return math.exp(math.hypot(math.log(end / found.value), _NORMAL * BETWEEN))

    return replace(
        found, low=found.value / beyond(found.low), high=found.value * beyond(found.high)
    )


def verdict(speedup: Ratio) -> Verdict:
    """The report's verdict: "faster" or "slower" if the interval excludes 1, else "same within
    noise"."""
    if speedup.low > 1:
        return "faster"
    return "slower" if speedup.high < 1 else "same within noise"


def pays_after_calls(cost_ms: float, eager_us: float, median_us: float) -> int | None:
    """The number of calls after which `cost_ms` of compiling is saved; None if no time is saved."""
    gain = eager_us - median_us
    return math.ceil(cost_ms * 1e3 / gain) if gain > 0 else None
