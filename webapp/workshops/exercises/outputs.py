"""What somebody's function gives over the inputs of a run's seed, held against what the reference's
gives over the same: of each output its shape and some of its values, as the reports of both runs
have them."""

import math
from collections.abc import Sequence

from compiler_core import report

# Of each set of inputs the outputs.
Outputs = Sequence[Sequence[report.Sample]]


def difference(mine: Outputs, right: Outputs, tolerance: float) -> str:
    """Where the outputs are not those of the reference, in words; blank where they are."""
    for one, other in zip(mine, right, strict=False):
        if len(one) != len(other):
            return f"it gives {len(one)} outputs, and the reference {len(other)}"
        for at, (got, wanted) in enumerate(zip(one, other, strict=True)):
            if reason := _apart(got, wanted, tolerance):
                return reason if len(other) == 1 else f"in output {at}, {reason}"
    return "" if len(mine) == len(right) else "it was not called as often as the reference"


def _apart(got: report.Sample, wanted: report.Sample, tolerance: float) -> str:
    if got.shape != wanted.shape:
        return f"the shape is {got.shape}, and the reference's {wanted.shape}"
    if (len(got.values), len(got.sums)) != (len(wanted.values), len(wanted.sums)):
        return "there are not as many values as in the reference"
    numbers = [_number(value) for value in (*wanted.values, *wanted.sums)]
    # Against the largest there is: what is next to nothing may be nothing.
    scale = max((abs(value) for value in numbers if math.isfinite(value)), default=0.0)
    mine = map(_number, (*got.values, *got.sums))
    for at, (one, other) in enumerate(zip(mine, numbers, strict=True)):
        if not _near(one, other, tolerance * max(scale, 1e-30)):
            what = "a value" if at < len(wanted.values) else "a sum over a part of the values"
            return f"{what} is {one:.6g} where the reference has {other:.6g}"
    return ""


def _number(text: str) -> float:
    """A runner that breaks the rules may say anything: that is no number."""
    try:
        return float(text[:40])
    except ValueError:
        return math.nan


def _near(one: float, other: float, most: float) -> bool:
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return one == other or abs(one - other) <= most
