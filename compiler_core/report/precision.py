"""Where precision is lost: the error of each value that a kernel leaves in memory."""

import math

import msgspec
from msgspec import field

from compiler_core.report.graphs import WHOLE


class ErrorSize(msgspec.Struct, frozen=True):
    """How far the elements of one value are from what they would be in float64. Numbers are None
    where they are not finite: an infinity or a NaN that only one of the two has. Of integers and
    bools, `max_rel` and `max_ulps` are 0 where none differs, and None where some do."""

    # The largest |x - exact|.
    max_abs: float | None = 0.0
    # The largest |x - exact| / max(|exact|, rms / 100), rms the root mean square of `exact`: an
    # element that cancels to almost nothing has no meaningful error relative to itself.
    max_rel: float | None = 0.0
    # The same in units in the last place: of the value's type, at max(|exact|, rms / 100). Half a
    # unit is what rounding to the type alone may bring.
    max_ulps: float | None = 0.0
    # How many elements are not the exact ones rounded to the type.
    differing: int = 0
    # The element with the largest `max_rel`; what it is, and what it would be in float64.
    index: list[int] = field(default_factory=list)
    got: float | None = None
    exact: float | None = None
    # Of a sum, the largest |x - exact| relative to the sum of the magnitudes of its terms: where
    # these cancel, it is far below `max_rel`, which is then of the terms and of no kernel. None of
    # what is no sum.
    of_terms: float | None = None


def severity(size: ErrorSize) -> float:
    """By which errors are ordered: the relative error, for a sum relative to its terms; infinite
    where the error is no number."""
    if size.max_rel is None:
        return math.inf
    return size.max_rel if size.of_terms is None else min(size.max_rel, size.of_terms)


# So many times larger than what is left are the terms of a sum that is said to cancel.
_CANCELS = 1e3


def cancels(size: ErrorSize) -> bool:
    """Whether a sum is less than a thousandth of its terms' magnitudes."""
    return size.max_rel is not None and severity(size) * _CANCELS < size.max_rel


class KernelError(msgspec.Struct, frozen=True):
    """The error of one value that a launch writes to memory, against float64. `own` is what this
    launch brings: what it wrote, against the same operations in float64 on what it really read.
    `accumulated` is what is there after all that ran before it in its graph. `eager_own` and
    `eager_accumulated` are the same of eager, whose operations ran one by one; None where it has no
    such value, or did not have what the launch reads."""

    kernel: str
    # The name of the memory, as in `buffers`, and the type of the value.
    buffer: str
    type: str
    own: ErrorSize
    accumulated: ErrorSize
    eager_own: ErrorSize | None = None
    eager_accumulated: ErrorSize | None = None
    # The captured operation whose result has eager's value; None where eager has none.
    eager_node: int | None = None
    # The id of the graph that it belongs to.
    graph: str = WHOLE
    # The plan that ran, "cpu" or "gpu".
    backend: str = ""
