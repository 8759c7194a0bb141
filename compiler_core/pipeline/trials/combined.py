"""Applies all remedies that were offered together: one may help only after another."""

import math
import time
from collections.abc import Iterator, Sequence

from compiler_core.measure.clock import Clock, Limit
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.noticed import notice_program
from compiler_core.pipeline.remedy_request import remedy_request
from compiler_core.pipeline.trials.comparison import Side, other_results
from compiler_core.pipeline.trials.trial import COMPILE, changed_side, trial_of
from compiler_core.remedy.change import Changed
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding, Trial
from compiler_core.snippet.raised import is_interrupt
from compiler_core.wording import counted

_MOST_STEPS = 12


def combined_trial(
    c: Compilation, offered: Sequence[tuple[Changed, Finding]], seconds: float, each: Limit
) -> Trial | None:
    """The snippet with all remedies, applied one after the other, each where the changed program
    still has its entry; None if no two can be combined. No remedy is begun after `seconds`, nor a
    step of one after `each`. Raises nothing but a user's KeyboardInterrupt."""
    start, whats = time.perf_counter(), {changed.what for changed, _ in offered}
    again = [changed for changed, finding in offered if finding.kind in COMPILE]
    now, steps = (again or [changed for changed, _ in offered])[0], 1
    # By itself it was compiled within the limit of its own trial.
    side, failed = changed_side(c, now.source, Clock(math.inf)), set[str]()
    while steps < _MOST_STEPS and time.perf_counter() - start < seconds:
        found = next(_following(c, side, whats, failed, each), None)
        if found is None:
            break
        (now, side), steps = found, steps + 1
    if steps == 1:
        return None
    what = f"{counted(steps, 'change')} together"
    return trial_of(c, Changed(now.source, what), each, again=bool(again), side=side)


def _following(
    c: Compilation, side: Side, whats: set[str], failed: set[str], each: Limit
) -> Iterator[tuple[Changed, Side]]:
    """The remedies that can be applied next, with the program after each."""
    with side.at_home():
        notice_program(side.c)
    assert side.c.origin is not None
    text = Text.parse(side.c.origin.text)
    for finding in [f for own in side.c.findings.values() for f in own]:
        changed = remedied(remedy_request(text, finding, side.c.program))
        if isinstance(changed, Changed) and changed.what in whats and changed.source not in failed:
            further = _through(c, changed, each)
            if further is not None:
                yield changed, further
            failed.add(changed.source)


def _through(c: Compilation, changed: Changed, limit: Limit) -> Side | None:
    """The changed program if it is compiled within `limit` and its results agree with the
    snippet's; else None."""
    clock = limit.begin()
    try:
        after = changed_side(c, changed.source, clock)
        return None if after.why_not or other_results(Side(c), after, clock) else after
    except BaseException as error:
        if is_interrupt(error):
            raise
        return None
