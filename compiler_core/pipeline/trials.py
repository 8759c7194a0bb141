"""The remedies of the why-list, tried: each changes the snippet's text, whose program is then run,
compiled, held against the snippet's own, and measured beside it."""

import time
from dataclasses import dataclass

from msgspec import structs

from compiler_core import report
from compiler_core.errors import sentence_of
from compiler_core.pipeline.beside import Beside, Side, other_results
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.first_calls import first_calls
from compiler_core.pipeline.noticed import noticed
from compiler_core.pipeline.trial_text import summary
from compiler_core.remedy.change import Asked, Changed, Refused
from compiler_core.remedy.table import remedied
from compiler_core.remedy.text import Text
from compiler_core.report import Finding, Trial
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.raised import is_interrupt
from compiler_core.wording import counted

NAME = "trials"
# No trial is begun after so many seconds, nor more than so many.
MOST_SECONDS = 20.0
MOST_TRIALS = 8
# What costs most comes first where not all can be tried.
_ORDER: tuple[report.FindingKind, ...] = (
    "failed", "graph break", "unrolled", "recompile", "traced again", "host sync",
)  # fmt: skip
# Of these the snippet's different calls are made anew, and timed with all that is compiled.
_COMPILE = ("recompile", "traced again")


def wants_trials(c: Compilation) -> bool:
    """Whether remedies are to be tried."""
    return c.options.trials


def try_remedies(c: Compilation) -> None:
    """Tries the remedy of each entry of the why-list that has one; the entry shows what came of
    it as soon as it is known."""
    for compiler, findings in noticed(c):
        c.found(compiler, findings)
    start, tried = time.perf_counter(), _Tried(c)
    with c.stage(NAME, NAME) as draft:
        if c.origin is None:
            draft.status, draft.summary = "skipped", "remedies are tried of snippets alone"
            return
        asked = _asked(c)
        for number, (changed, of) in enumerate(asked.items()):
            late = time.perf_counter() - start > MOST_SECONDS
            if late or tried.runs >= MOST_TRIALS:
                draft.summary = f"{len(asked) - number} more were left out for want of time; "
                break
            c.began(NAME, getattr(changed, "what", ""), number / len(asked))
            _show(c, of, tried.trial(changed, of[0].finding))
        draft.summary += tried.summary


@dataclass(frozen=True)
class _Of:
    """An entry of the why-list, by its place in that of its compiler."""

    compiler: str
    at: int
    finding: Finding


def _asked(c: Compilation) -> dict[Changed | Refused, list[_Of]]:
    """What is to be tried, or why it cannot be, with the entries whose remedy it is."""
    assert c.origin is not None
    try:
        text = Text.parse(c.origin.text)
    except SyntaxError:  # a snippet that is no Python
        return {}
    program = c.program
    every = [_Of(who, i, f) for who, own in c.findings.items() for i, f in enumerate(own)]
    found: dict[Changed | Refused, list[_Of]] = {}
    for of in sorted(every, key=lambda of: _place(of.finding)):
        asked = Asked(text, of.finding, program.framework, program.name, program.line)
        changed = remedied(asked)
        if changed is not None:
            found.setdefault(changed, []).append(of)
    return found


def _place(finding: Finding) -> int:
    return _ORDER.index(finding.kind) if finding.kind in _ORDER else len(_ORDER)


def _show(c: Compilation, of: list[_Of], trial: Trial) -> None:
    for each in of:
        own = c.findings[each.compiler]
        own[each.at] = structs.replace(own[each.at], trial=trial)
    for compiler in dict.fromkeys(each.compiler for each in of):
        c.found(compiler, ())


class _Tried:
    """The trials of one program."""

    def __init__(self, c: Compilation) -> None:
        self._c = c
        self.runs = self._helped = self._refused = 0

    @property
    def summary(self) -> str:
        refused = f", {self._refused} cannot be" if self._refused else ""
        return f"{counted(self.runs, 'remedy')} tried, {self._helped} helped{refused}"

    def trial(self, changed: Changed | Refused, finding: Finding) -> Trial:
        """What came of one change. Raises a person's KeyboardInterrupt alone."""
        if isinstance(changed, Refused):
            self._refused += 1
            return Trial("", summary=f"not tried: {changed.reason}")
        self.runs += 1
        try:
            found = _tried(self._c, changed, finding)
        except BaseException as error:
            if is_interrupt(error):
                raise
            return Trial("", summary=f"{changed.what}, which fails: {sentence_of(error)}")
        self._helped += any(each.verdict == "faster" for each in found.times)
        return found


def _tried(c: Compilation, changed: Changed, finding: Finding) -> Trial:
    assert c.origin is not None
    after = Side(c.origin.compiled(_same(c, c.origin.programs(changed.source)), c))
    if after.why_not:
        return Trial("", summary=f"{changed.what}, which then is not compiled: {after.why_not}")
    before = Side(c)
    repeated = finding.kind in _COMPILE
    cold = first_calls(before, after) if repeated else None
    wrong = other_results(before, after) if cold is None else cold.wrong
    if wrong:
        return Trial("", summary=f"not offered, for the results are others: {wrong}")
    counts = before.counts, after.counts
    times = [] if not c.options.measure else Beside(before, after).times(c.lease)
    if cold is not None:
        times = [cold.time, *times]
        counts = (
            structs.replace(counts[0], compilations=cold.before),
            structs.replace(counts[1], compilations=cold.after),
        )
    return Trial(
        changed.source,
        times[0].speedup if times else None,
        summary(changed.what, *counts, times, before),
        times,
        *counts,
    )


def _same(c: Compilation, programs: tuple[FoundProgram, ...]) -> FoundProgram:
    """The changed program: of the same name and place among the snippet's."""
    named = [p for p in programs if p.name == c.program.name]
    if named:
        return named[0]
    if c.number < len(programs):
        return programs[c.number]
    raise ValueError("the changed snippet has no such program")
