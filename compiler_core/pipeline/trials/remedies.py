"""Tries the remedies of the why-list, first one by one, then together."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from compiler_core import report
from compiler_core.measure.clock import Limit
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.remedy_request import remedy_request
from compiler_core.pipeline.trials.combined import combined_trial
from compiler_core.pipeline.trials.saved import saved
from compiler_core.pipeline.trials.trial import COMPILE, trial_of
from compiler_core.remedy.change import Changed, Refused
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding, Trial
from compiler_core.wording import counted

NAME = "trials"
# No trial begins after so many seconds, and there are no more than so many. The first of each
# kind of change, and those at lines that were asked for, may begin later: they have all of the time
# in equal parts, so that each is tried, if briefly; in less than so many seconds none comes to its
# end on a busy machine.
MOST_SECONDS = 20.0
MOST_SECONDS_OF_FIRST = 40.0
LEAST_SECONDS = 8.0
# In less than this no trial begins at all.
_BRIEFEST = 2.0
MOST_TRIALS = 8
# Limits, in seconds, after which no step of a trial begins: for most trials, for one in which the
# snippet's calls are compiled anew, round by round, and for one at a line that was asked for.
TRIAL = Limit(10.0, 25.0)
TRIAL_OF_COMPILING = Limit(20.0, 25.0)
TRIAL_ASKED = Limit(30.0, 40.0)
# Nor does any step begin after so many seconds of all trials, or in so many before the run's end:
# a run must not reach its deadline.
LAST_STEP, _TO_END = 45.0, 5.0
_LEFT_OUT = "which was not tried: the time for remedies went to others"
# Kinds that cost most come first, in case not all can be tried.
_ORDER: tuple[report.FindingKind, ...] = (
    "failed", "graph break", "unrolled", "recompile", "traced again", "host sync",
)  # fmt: skip


def wants_trials(c: Compilation) -> bool:
    """Whether remedies should be tried."""
    return c.options.trials


def try_remedies(c: Compilation) -> None:
    """Tries the remedy of each entry of the why-list that has one, and emits the entry with the
    result as soon as it is known."""
    start, tried = time.perf_counter(), _Tried(c)
    most = min(LAST_STEP, c.time_left() - _TO_END)
    with c.stage(NAME, NAME) as draft:
        if c.origin is None:
            draft.status, draft.summary = "skipped", "remedies are tried of snippets alone"
            return
        requested = _in_turn(_requested(c), c.options.trials_first)
        for number, turn in enumerate(requested):
            seconds = time.perf_counter() - start
            if not tried.may_begin(turn, seconds, most):
                _show(c, turn.of, tried.left_out(turn.changed))
                continue
            c.emit_began(NAME, getattr(turn.changed, "what", ""), number / len(requested))
            waiting = sum(each.is_early for each in requested[number:])
            part = max((most - seconds) / max(1, waiting), LEAST_SECONDS)
            _show(c, turn.of, tried.trial(turn, min(part, most - seconds)))
        draft.summary = tried.summary
        left = min(MOST_SECONDS, most) - (time.perf_counter() - start)
        if len(tried.offered) > 1 and left > 0:
            c.emit_began(NAME, "all of them together", 1.0)
            all_ = combined_trial(c, tried.offered, left, TRIAL)
            c.emit_facts(together=all_)
            if all_ is not None and all_.speedup is not None and all_.is_faster:
                draft.summary += f"; together they make it {all_.speedup:.2f} times as fast"


@dataclass(frozen=True)
class _Of:
    """An entry of the why-list, with its index in the list of its compiler."""

    compiler: str
    at: int
    finding: Finding


@dataclass(frozen=True)
class _Turn:
    """A remedy, or the reason why it cannot be applied, with the entries that it is for: whether
    it was asked for, and whether it is the first of its kind of change."""

    changed: Changed | Refused
    of: list[_Of]
    is_asked: bool
    is_first: bool

    @property
    def is_early(self) -> bool:
        """Whether it is tried before what is neither; a refusal takes no time."""
        return isinstance(self.changed, Changed) and (self.is_asked or self.is_first)


def _in_turn(requested: Mapping[Changed | Refused, list[_Of]], lines: Sequence[int]) -> list[_Turn]:
    """What was asked for by `lines`, then the first of each kind of change, then the others."""
    asked = {x for x, of in requested.items() if any(each.finding.line in lines for each in of)}
    first = {getattr(x, "what", ""): x for x in reversed([*requested])}.values()
    turns = [_Turn(x, of, x in asked, x in first) for x, of in requested.items()]
    return sorted(turns, key=lambda turn: (not turn.is_asked, not turn.is_first))


def _requested(c: Compilation) -> dict[Changed | Refused, list[_Of]]:
    """Each remedy, or the reason why it cannot be applied, with the entries that it is for."""
    assert c.origin is not None
    try:
        text = Text.parse(c.origin.text)
    except SyntaxError:  # a snippet that is no Python
        return {}
    every = [_Of(who, i, f) for who, own in c.findings.items() for i, f in enumerate(own)]
    found: dict[Changed | Refused, list[_Of]] = {}
    for of in sorted(every, key=lambda of: _place(of.finding)):
        changed = remedied(remedy_request(text, of.finding, c.program))
        if changed is not None:
            found.setdefault(changed, []).append(of)
    return found


def _place(finding: Finding) -> int:
    return _ORDER.index(finding.kind) if finding.kind in _ORDER else len(_ORDER)


def _show(c: Compilation, of: list[_Of], trial: Trial) -> None:
    """Emits a trial with all entries that its remedy is for. What the remedy saves is the cost of
    the first of each compiler's, who traces for the core being of it, unless the compiler gave one;
    of a graph break that was Python's part alone, and what is compiled as one graph may save
    more."""
    timed, reported = {time.compiler for time in trial.times}, set[str]()
    for each in of:
        whose = each.compiler if each.compiler in timed else "core"
        costs = {} if whose in reported else saved(trial, c.median_us, each.compiler)
        reported.add(whose)
        own = c.findings[each.compiler]
        is_break = each.finding.kind == "graph break"
        new = {n: x for n, x in costs.items() if is_break or getattr(own[each.at], n) is None}
        own[each.at] = structs.replace(own[each.at], trial=trial, **new)
    for compiler in dict.fromkeys(each.compiler for each in of):
        c.add_findings(compiler, ())


class _Tried:
    """The trials of one program, and how many were run, helped and were refused."""

    def __init__(self, c: Compilation) -> None:
        self._c = c
        self.runs = self._helped = self._refused = self._left_out = self._given_up = 0
        # The remedies that are offered, each with the entry that it is for.
        self.offered: list[tuple[Changed, Finding]] = []

    @property
    def summary(self) -> str:
        refused = f", {self._refused} cannot be" if self._refused else ""
        left = f", {self._left_out} left out for want of time" if self._left_out else ""
        given_up = f", {self._given_up} given up" if self._given_up else ""
        counts = f"{counted(self.runs, 'remedy')} tried, {self._helped} helped"
        return f"{counts}{given_up}{refused}{left}"

    def may_begin(self, turn: _Turn, seconds: float, all_: float) -> bool:
        """Whether a remedy may begin `seconds` after the first one, of `all_` seconds in all; a
        refusal takes no time and always may."""
        most = MOST_SECONDS_OF_FIRST if turn.is_early else MOST_SECONDS
        in_turn = self.runs == 0 or (seconds <= most and self.runs < MOST_TRIALS)
        return (in_turn and all_ - seconds > _BRIEFEST) or isinstance(turn.changed, Refused)

    def left_out(self, changed: Changed | Refused) -> Trial:
        """The result for a remedy that there was no time for: what it would change."""
        self._left_out += 1
        assert isinstance(changed, Changed)
        return Trial("", summary=f"{changed.what}, {_LEFT_OUT}", left_out=True)

    def trial(self, turn: _Turn, left: float) -> Trial:
        """The result of one remedy, which may take at most `left` seconds. Raises nothing but a
        user's KeyboardInterrupt."""
        changed, finding = turn.changed, turn.of[0].finding
        if isinstance(changed, Refused):
            self._refused += 1
            return Trial("", summary=f"not tried: {changed.reason}")
        self.runs += 1
        again = finding.kind in COMPILE
        limit = TRIAL_ASKED if turn.is_asked else TRIAL_OF_COMPILING if again else TRIAL
        limit = replace(limit, most=min(limit.most, left))
        found = trial_of(self._c, changed, limit, again=again)
        self._given_up += found.left_out
        if turn.is_asked:  # once more it would take as long
            found = structs.replace(found, left_out=False)
        if found.source:
            self.offered.append((changed, finding))
        self._helped += found.is_faster
        return found
