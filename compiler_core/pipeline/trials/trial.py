"""One remedy, tried: the changed snippet is run, and its program is compiled, compared with the
snippet's own and measured beside it."""

from dataclasses import replace

from msgspec import structs

from compiler_core.errors import FuselabError
from compiler_core.measure.clock import Clock, Limit, TooLong
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.evaluation import requested
from compiler_core.pipeline.first_calls import first_calls
from compiler_core.pipeline.remedy_request import remedy_request
from compiler_core.pipeline.trials.comparison import Comparison, Side, other_results
from compiler_core.pipeline.trials.text import summary
from compiler_core.remedy.change import Changed
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding, FindingKind, Trial, TrialCounts
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.raised import is_interrupt
from compiler_core.snippet.remedies import words_of

# Other compilers take part where so many times what they took in the run is left.
_TIMES = 2.0
_ALONE = "; other compilers were left out of the trial for want of time"
# How many remedies may follow one that leads to another failure.
_FURTHER = 3
# For these kinds the snippet's first calls are repeated, and timed with their compilations.
COMPILE: tuple[FindingKind, ...] = ("recompile", "traced again")


def trial_of(
    c: Compilation, changed: Changed, limit: Limit, *, again: bool, side: Side | None = None
) -> Trial:
    """The result of a changed snippet: its speedup and counts; or, with a blank `source`, the
    reason why it is not offered. No step of it begins after `limit`. `side` is its program if it
    has been compiled already; with `again`, the first calls are timed, for a remedy of compiling
    again. Raises nothing but a user's KeyboardInterrupt."""
    clock = limit.begin()
    briefly = side is None and _is_short(c, clock)
    try:
        if side is None:
            changed, side = _as_far_as_it_goes(_by_core(c) if briefly else c, changed, clock)
        found = _tried(Side(c), side, changed, again, clock)
        said = found.summary + (_ALONE if briefly and found.source else "")
        return structs.replace(found, summary=said)
    except TooLong:
        given_up = f"{changed.what}, which was given up: a trial may take {limit}"
        return Trial("", summary=given_up, left_out=True)
    except BaseException as error:
        if is_interrupt(error):
            raise
        why = error.message if isinstance(error, FuselabError) else words_of(error)
        return Trial("", summary=f"{changed.what}, which fails: {why}")


def _is_short(c: Compilation, clock: Clock) -> bool:
    """Whether compiling by others than the core, as long as that took, is too much."""
    return "core" in requested(c) and _TIMES * c.ms.get("reference", 0.0) / 1e3 > clock.left


def _by_core(c: Compilation) -> Compilation:
    """What tells how a changed program is compiled: by the core alone."""
    return replace(c, options=structs.replace(c.options, compilers=("core",)))


def _as_far_as_it_goes(c: Compilation, changed: Changed, clock: Clock) -> tuple[Changed, Side]:
    """The changed program; where it then fails elsewhere, and that has a remedy too, with both."""
    side = changed_side(c, changed.source, clock)
    for _ in range(_FURTHER):
        failure, text = side.c.failure, Text.parse(changed.source)
        if failure is None:
            break
        finding = Finding("failed", "", failure.message, line=failure.line)
        further = remedied(remedy_request(text, finding, side.c.program))
        if not isinstance(further, Changed):
            break
        changed = Changed(further.source, f"{changed.what}; {further.what}")
        side = changed_side(c, changed.source, clock)
    return changed, side


def changed_side(c: Compilation, source: str, clock: Clock) -> Side:
    """The program of the snippet with the text `source`, compiled with the options of `c`. Raises
    what the snippet raises, and TooLong if a stage is left when the clock ends."""
    assert c.origin is not None
    program = _same(c, c.origin.programs(source))
    side = Side(c.origin.compiled(program, c, lambda event: clock()))
    side.c.origin = replace(c.origin, text=source)
    return side


def _same(c: Compilation, programs: tuple[FoundProgram, ...]) -> FoundProgram:
    """The program that has the name of the original one, else its place among the snippet's. Raises
    ValueError if there is none."""
    named = [p for p in programs if p.name == c.program.name]
    if named:
        return named[0]
    if c.number < len(programs):
        return programs[c.number]
    raise ValueError("the changed snippet has no such program")


def _tried(before: Side, after: Side, changed: Changed, again: bool, clock: Clock) -> Trial:
    if after.why_not:
        return Trial("", summary=f"{changed.what}, which then is not compiled: {after.why_not}")
    cold = first_calls(before, after, clock) if again else None
    wrong = other_results(before, after, clock) if cold is None else cold.wrong
    if wrong:
        return Trial("", summary=f"not offered, for the results are others: {wrong}")
    counts = before.counts, after.counts
    times = Comparison(before, after).times(clock) if before.c.options.measure else []
    if cold is not None:
        times = [cold.time, *times] if before.c.options.measure else []
        counts = (
            _with_compilations(counts[0], cold.before),
            _with_compilations(counts[1], cold.after),
        )
    speedup = times[0].speedup if times else None
    text = summary(changed.what, *counts, times, before)
    return Trial(changed.source, speedup, text, times, *counts)


def _with_compilations(counts: TrialCounts, compilations: int) -> TrialCounts:
    return structs.replace(counts, compilations=compilations)
