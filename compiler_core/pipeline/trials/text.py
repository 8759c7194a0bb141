"""The outcome of a remedy, in one sentence."""

from collections.abc import Sequence

from compiler_core.pipeline.trials.comparison import Side
from compiler_core.report import COMPILERS, TrialCounts, TrialTime
from compiler_core.wording import counted

# The counts that are compared, in this order, with their nouns.
_COUNTED = (
    ("graphs", "graph"),
    ("breaks", "graph break"),
    ("kernels", "kernel"),
    ("compilations", "compilation"),
)

_TITLES: dict[str, str] = {each.id: each.title for each in COMPILERS}
_NOISE = "no faster, as far as noise allows"
_SAID = {"faster": "faster", "slower": "slower", "same within noise": _NOISE}

# The factor from which on a longer compilation is mentioned.
_LONGER = 1.5


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
    """A clause on the compile time, if it is much longer. That it is shorter says nothing: the
    first compilation in a process also loads and warms the compilers."""
    if before is None or after is None or after < _LONGER * before:
        return []
    return [f"compiling takes {after:.0f} ms, not {before:.0f}"]


def _gain(times: Sequence[TrialTime]) -> str:
    """A clause if the program is not faster; how much faster it is, the numbers show. Where
    compilers differ, each is named."""
    verdicts = dict.fromkeys(each.verdict for each in times)
    if len(verdicts) > 1:
        return "; here " + ", ".join(f"{_SAID[v]} with {_those(times, v)}" for v in verdicts)
    return "".join(f"; here that is {_SAID[v]}" for v in verdicts if v != "faster")


def _those(times: Sequence[TrialTime], verdict: str) -> str:
    return " and ".join(map(_one, (t for t in times if t.verdict == verdict)))


def _one(time: TrialTime) -> str:
    name = _TITLES.get(time.compiler, time.compiler)
    if not time.first_calls:
        return f"{name} ({time.before_us:.0f} µs, then {time.after_us:.0f})"
    # These are compiled in the calls.
    return f"{name}'s first calls ({time.before_us / 1e3:.0f} ms, then {time.after_us / 1e3:.0f})"
