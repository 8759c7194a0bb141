"""The interval of a ratio of medians, from samples of which neighbours in time are alike.

What the machine does at a time (another process, a slower clock, where threads are) lasts longer
than a round, so that rounds resampled one by one give intervals that are much too narrow. Resampled
are blocks of rounds: Künsch, "The jackknife and the bootstrap for general stationary observations"
(1989).
"""

import math
from collections.abc import Sequence
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_RESAMPLES = 2000
_SEED = 0
# How many neighbouring blocks are joined, and how many joined ones there must be to tell a spread.
_JOINED = (1, 2, 3)
_FEWEST = 4
# The extremes of n blocks hold the median in 1 - 2 ** (1 - n) of all cases: of fewer than these,
# not in 95 %.
_ENOUGH = 6
# What one block alone leaves open, as a factor.
_ANYTHING = 1e3
# The 97.5 % quantiles of Student's distribution, by degrees of freedom and for all up to the next.
_STUDENT = {
    1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26, 10: 2.23,
    11: 2.20, 15: 2.13, 20: 2.09, 30: 2.04, 60: 2.00,
}  # fmt: skip


def interval(
    base: Sequence[float], other: Sequence[float], blocks: Sequence[int]
) -> tuple[float, float]:
    """The 95 % interval of median(base) / median(other). base[i] and other[i] are of one round and
    drawn together with all others of the block blocks[i]: what disturbs a block affects both sides.
    Neighbouring blocks may still be alike: the widest of the intervals with blocks as they are, and
    joined two by two and three by three, is given; of very few blocks Student's interval."""
    b, o = np.asarray(base, float), np.asarray(other, float)
    _, numbers = np.unique(np.asarray(blocks), return_inverse=True)
    found = [_interval(b, o, joined) for joined in _joined(numbers)]
    if numbers.max() + 1 < _ENOUGH:
        found.append(_of_few(b, o, numbers))
    return max(found, key=lambda ends: ends[1] / ends[0])


def _of_few(base: Array, other: Array, blocks: Array) -> tuple[float, float]:
    """Student's interval of the logarithm of the ratio, from each block's own."""
    own = [blocks == number for number in range(blocks.max() + 1)]
    logs = [math.log(np.median(base[of]) / np.median(other[of])) for of in own]
    middle = float(np.mean(logs))
    if len(logs) == 1:
        return math.exp(middle) / _ANYTHING, math.exp(middle) * _ANYTHING
    half = _STUDENT[len(logs) - 1] * float(np.std(logs, ddof=1)) / math.sqrt(len(logs))
    return math.exp(middle - half), math.exp(middle + half)


def _joined(numbers: Array) -> list[Array]:
    count = int(numbers.max()) + 1
    return [numbers // size for size in _JOINED if size == 1 or count // size >= _FEWEST]


def _interval(base: Array, other: Array, blocks: Array) -> tuple[float, float]:
    count = int(blocks.max()) + 1
    drawn = _drawn(count)
    ratios = _medians(base, drawn, blocks) / _medians(other, drawn, blocks)
    low, high = np.quantile(ratios, [_tail(count), 1 - _tail(count)])
    return float(low), float(high)


@cache
def _drawn(count: int) -> Array:
    """For each resample, how often it has each of `count` blocks."""
    picks = np.random.default_rng(_SEED).integers(0, count, (_RESAMPLES, count))
    rows = np.arange(_RESAMPLES)[:, None] * count
    drawn = np.bincount((rows + picks).ravel(), minlength=_RESAMPLES * count)
    return drawn.reshape(_RESAMPLES, count).astype(np.int32)


def _medians(samples: Array, drawn: Array, blocks: Array) -> Array:
    """For each row the median of the samples, of which the i-th is there drawn[row, blocks[i]]
    times."""
    order = np.argsort(samples, kind="stable")
    ordered = samples[order]
    counts = np.cumsum(drawn[:, blocks[order]], axis=1, dtype=np.int32)
    half = counts[:, -1:] / 2
    lower, upper = np.argmax(counts >= half, axis=1), np.argmax(counts > half, axis=1)
    return np.asarray((ordered[lower] + ordered[upper]) / 2)


def _tail(count: int) -> float:
    """The share that is cut off at each end for 95 %. Few blocks show less spread than they come
    from: percentiles are widened as Student's are (Hesterberg, "What teachers should know about the
    bootstrap", 2015: the expanded percentile interval)."""
    if count < 2:
        return 0.0
    student = _STUDENT[max(degrees for degrees in _STUDENT if degrees < count)]
    return NormalDist().cdf(-math.sqrt(count / (count - 1)) * student)
