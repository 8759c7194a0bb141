"""What a remedy saves, as the cost of the entry that it is for."""

from collections.abc import Mapping

from compiler_core.report import Trial


def saved(trial: Trial, median_us: Mapping[str, float], compiler: str) -> dict[str, float]:
    """The field of a Finding of `compiler` with what the remedy saves with it, or, where it is none
    that is timed, with the first that it helps; none where it does not help. Microseconds are its
    part of a call as that was measured, `median_us` by compiler: in the minute of the trial it may
    have taken longer."""
    own = [t for t in trial.times if t.compiler == compiler] or trial.times
    helped = next((t for t in own if t.verdict == "faster"), None)
    # Of what was never captured, the time before is the framework's: that is what compiling is
    # worth, and no cost of the entry.
    if helped is None or not trial.source or trial.before.graphs is None:
        return {}
    us = helped.before_us - helped.after_us
    if helped.first_calls:
        return {"compile_ms": us / 1e3}
    return {"us": us / helped.before_us * median_us.get(helped.compiler, helped.before_us)}
