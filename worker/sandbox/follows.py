"""Figures that follow from others beside them: a ratio from medians, a median from samples, a
verdict from an interval. The core writes them so; who writes others has made them up."""

import math
import statistics

from msgspec import structs

from compiler_core.report import Facts, Finding, Timing, Trial, TrialTime
from worker.sandbox.named import KNOWN

# Both sides compute in doubles.
_ROUNDED = 1e-6


def follows_not(timing: Timing, eager: Timing | None) -> str:
    """What of a timing is not so by itself and by eager's, which it is over; "" where all is."""
    if timing.samples_us and not _is(
        middle := statistics.median(timing.samples_us), timing.median_us
    ):
        return f"a median of {timing.median_us:g} µs, of samples whose median is {middle:g}"
    if timing.samples < 1 or len(timing.samples_us) != timing.samples:
        return f"a median of {timing.samples} samples, of which {len(timing.samples_us)} are there"
    if not min(timing.samples_us) <= timing.p25_us <= timing.median_us <= timing.p75_us:
        return (
            f"quartiles of {timing.p25_us:g} and {timing.p75_us:g} µs around {timing.median_us:g}"
        )
    if (why := _pays_not(timing, eager)) or (why := _judged_not(timing)):
        return why
    low, high = timing.speedup_low, timing.speedup_high
    if timing.speedup is not None:
        if eager is None:
            return f"{timing.speedup:g} times as fast as what has no times"
        if not _is(ratio := eager.median_us / timing.median_us, timing.speedup):
            return f"{timing.speedup:g} times as fast, of medians whose ratio is {ratio:g}"
        if low is not None and high is not None and not low <= timing.speedup <= high:
            return f"{timing.speedup:g} times as fast, within {low:g} and {high:g}"
    return ""


def _pays_not(timing: Timing, eager: Timing | None) -> str:
    """What of the number of calls after which compiling has paid is not so."""
    if (calls := timing.pays_after_calls) is None:
        return ""
    parts = (timing.capture_ms or 0.0) + (timing.compile_ms or 0.0)
    cost_ms = parts if timing.first_call_ms is None else timing.first_call_ms
    gain_us = eager.median_us - timing.median_us if eager else 0.0
    if gain_us <= 0 or abs(calls - cost_ms * 1e3 / gain_us) > 1 + _ROUNDED * abs(calls):
        return f"that it pays after {calls:,} calls, of {cost_ms:g} ms and {gain_us:g} µs a call"
    return ""


def _judged_not(timing: Timing) -> str:
    """What of the verdict is not so."""
    low, high = timing.speedup_low, timing.speedup_high
    so = {
        "faster": low is not None and low > 1,
        "slower": high is not None and high < 1,
        "same within noise": low is not None and high is not None and low <= 1 <= high,
    }
    if so.get(timing.verdict, True):
        return ""
    return f"a verdict of {timing.verdict} without an interval that says so"


def without_false_trials(event: Facts) -> tuple[Facts, str]:
    """`event` without the remedies whose speedups are not those of their times, and what of the
    first is not so."""
    if event.together is None and not event.findings:
        return event, ""
    whys = [_wrong_trial(event.together)]
    if whys[0]:
        event = structs.replace(event, together=None)
    if event.findings:
        event = structs.replace(event, findings=[_honest(each, whys) for each in event.findings])
    return event, next(filter(None, whys), "")


def _honest(finding: Finding, whys: list[str]) -> Finding:
    whys.append(_wrong_trial(finding.trial))
    return structs.replace(finding, trial=None) if whys[-1] else finding


def _wrong_trial(trial: Trial | None) -> str:
    if trial is None:
        return ""
    if trial.speedup != (trial.times[0].speedup if trial.times else None):
        return f"a remedy of {trial.speedup} times as fast, which none of its times is"
    return next(filter(None, map(_wrong_time, trial.times)), "")


def _wrong_time(time: TrialTime) -> str:
    if time.compiler not in KNOWN:
        return f"a remedy with times of {time.compiler!r}"
    if time.after_us > 0 and _is(time.before_us / time.after_us, time.speedup):
        return ""
    return f"a remedy of {time.speedup:g} times as fast: {time.before_us:g} µs to {time.after_us:g}"


def _is(computed: float, said: float) -> bool:
    return math.isclose(computed, said, rel_tol=_ROUNDED)
