"""The numerical error of each value that a kernel writes to memory."""

import math

import msgspec
from msgspec import field

from compiler_core.report.graphs import WHOLE


class ErrorSize(msgspec.Struct, frozen=True):
    """The error of a value's elements x against `exact`, the same in float64. A number is None
    where it is not finite: an infinity or a NaN that only one of the two has. For integers and
    bools, `max_rel` and `max_ulps` are 0 if no element differs, and None otherwise."""

    # The largest |x - exact|.
    max_abs: float | None = 0.0
    # The largest |x - exact| / max(|exact|, rms / 100), with rms the root mean square of `exact`:
    # the error of an element that cancels to almost 0 is not meaningful relative to itself.
    max_rel: float | None = 0.0
    # The same in units in the last place of the value's dtype at max(|exact|, rms / 100). Rounding
    # to the dtype alone adds at most half a unit.
    max_ulps: float | None = 0.0
    # The number of elements that differ from `exact` rounded to the dtype.
    differing: int = 0
    # The index of the element with the largest relative error, its value, and its value in float64.
    index: list[int] = field(default_factory=list)
    got: float | None = None
    exact: float | None = None
    # For a sum, the largest |x - exact| relative to the sum of its terms' magnitudes. Where the
    # terms cancel it is far below `max_rel`, which is then due to the terms rather than the kernel.
    # None for what is not a sum.
    of_terms: float | None = None


def severity(size: ErrorSize) -> float:
    """The number by which errors are ordered: the relative error, for a sum relative to its terms;
    infinite if the error is not finite."""
    if size.max_rel is None:
        return math.inf
    return size.max_rel if size.of_terms is None else min(size.max_rel, size.of_terms)


# The ratio of a sum's terms to the sum from which on it is called cancelling.
_CANCELS = 1e3


def cancels(size: ErrorSize) -> bool:
    """Whether a sum is less than a thousandth of its terms' magnitudes."""
    return size.max_rel is not None and severity(size) * _CANCELS < size.max_rel


class KernelError(msgspec.Struct, frozen=True):
    """The error against float64 of one value that a launch writes to memory. `own` is the error
    that this launch adds: its result against the same operations in float64 on the inputs that it
    read. `accumulated` includes the errors of all launches before it in its graph. `eager_own` and
    `eager_accumulated` are the same for eager, which runs operation by operation; None where eager
    has no such value, or lacks one that the launch reads."""

    kernel: str
    # The name of its buffer, as in `buffers`, and the type of the value.
    buffer: str
    type: str
    own: ErrorSize
    accumulated: ErrorSize
    eager_own: ErrorSize | None = None
    eager_accumulated: ErrorSize | None = None
    # The captured operation whose result in eager is compared; None if there is none.
    eager_node: int | None = None
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The backend whose plan ran, "cpu" or "gpu".
    backend: str = ""
