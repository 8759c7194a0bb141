"""The outcome of a remedy, in one sentence."""

from collections.abc import Sequence

from compiler_core.pipeline.trial_comparison import Side
from compiler_core.report import TrialCounts, TrialTime
from compiler_core.wording import counted

# The counts that are compared, in this order, with their nouns.
_COUNTED = (
    ("graphs", "graph"),
    ("breaks", "graph break"),
    ("kernels", "kernel"),
    ("compilations", "compilation"),
)

# Compile times within this ratio count as equal.
_ALIKE = 1.5


def summary(
    what: str,
    before: TrialCounts,
    after: TrialCounts,
    times: Sequence[TrialTime],
    side: Side,
) -> str:
    """What was changed, what differs as a result, and whether it is faster."""
    changes = [
        f"{counted(was, noun)} {'become' if was != 1 else 'becomes'} {now}"
        for name, noun in _COUNTED
        if (was := getattr(before, name)) is not None
        and (now := getattr(after, name)) is not None
        and was != now
    ]
    changes += _compiling(before.compile_ms, after.compile_ms)
    if side.c.captured is None:
        changes.append("the program is compiled, which it was not")
    differences = ", ".join(changes) or "compilers make as much of it as before"
    return f"{what}: {differences}{_gain(times)}"


def _compiling(before: float | None, after: float | None) -> list[str]:
    """A clause on the compile time, if it differs by more than this ratio."""
    if before is None or after is None or _ALIKE > after / before > 1 / _ALIKE:
        return []
    return [f"compiling takes {after:.0f} ms, not {before:.0f}"]


def _gain(times: Sequence[TrialTime]) -> str:
    """A clause if the program is not faster; how much faster it is, the numbers show."""
    if not times or times[0].verdict == "faster":
        return ""
    slower = times[0].verdict == "slower"
    return "; here that is slower" if slower else "; here that is no faster, as far as noise allows"
