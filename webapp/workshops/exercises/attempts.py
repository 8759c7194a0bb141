"""Attempts: a run is said to be a seat's answer, and is judged when it has ended, and once more
when what it is compared by has: by the page that asks, and by the server where none does."""

import logging
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import msgspec
from django.db import Error as DatabaseError
from django.db import transaction

from webapp.apart import asking as apart
from webapp.errors import Refusal, Refused
from webapp.runs import asks, turns, views
from webapp.runs.models import FINAL, LIVE, Run, State
from webapp.runs.models import named as run_named
from webapp.runs.title import visible
from webapp.workshops.announce import announce
from webapp.workshops.exercises import calling, checking, comparing, judged, trying
from webapp.workshops.exercises.checking import Result
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judged import Checked
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Check, Equal, Recompiles
from webapp.workshops.exercises.models import Attempt, Exercise
from webapp.workshops.exercises.wire import AttemptView
from webapp.workshops.models import Seat

log = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
# Of one seat at one exercise: whoever scripts attempts does not fill the database.
MOST_ATTEMPTS = 200
# Whoever was refused so is served later.
_LATER = (429, 503)
# Of what a check saw, in which names are that a stranger's run made up.
LONGEST = 1000
_RUNS = "Its run has not ended yet."


class Later(NamedTuple):
    """A kind of check that runs of its own make: asks for them, knowing whether all other checks
    may pass yet, and says what came of them."""

    begin: Callable[[Seat, Exercise, Any, Run, bool], Sequence[Any]]
    seen: Callable[[Exercise, Any, Sequence[Any]], Seen | None]


LATER: dict[type[Check], Later] = {
    Equal: Later(comparing.begin, comparing.seen),
    Recompiles: Later(calling.begin, calling.seen),
}


def attempt(seat: Seat, exercise: Exercise, run_id: str) -> AttemptView | Refusal:
    """What is known by now of a run that this seat's person asked for, and that is their answer
    from now on. The same run is checked, and counted, once. Raises Refused."""
    run = run_named(run_id).defer("report").first()
    if run is None or not asks.asked(run, seat.owner):
        message = f'There is no run "{run_id[:40]}" of yours.'
        return Refusal(404, message, "Check a run that was asked for at this seat.", "run")
    attempt = begin(seat, exercise, run)
    return attempt if isinstance(attempt, Refusal) else view(settled(attempt))


def begin(seat: Seat, exercise: Exercise, run: Run) -> Attempt | Refusal:
    """The attempt that this run is; a new one is judged later."""
    before = Attempt.objects.filter(seat=seat, exercise=exercise, run=run.pk).first()
    if before is not None:
        return before
    wanted = trying.defined(exercise)
    if refusal := refused(seat, exercise):
        return refusal
    if isinstance(wanted, Refusal):
        return wanted
    results = [Result(each, False, _RUNS, pending=True) for each in checking.wants(wanted)]
    defaults = {"passed": 0, "of": len(results), "results": msgspec.to_builtins(results)}
    attempt, _ = Attempt.objects.get_or_create(
        seat=seat, exercise=exercise, run=run.pk, defaults=defaults
    )
    announce(exercise.workshop_id)
    return attempt


def refused(seat: Seat, exercise: Exercise) -> Refusal | None:
    """Why this seat may attempt this exercise no more."""
    if Attempt.objects.filter(seat=seat, exercise=exercise).count() < MOST_ATTEMPTS:
        return None
    message = f"This exercise was attempted {MOST_ATTEMPTS} times at this seat."
    return Refusal(429, message, "Go on with another.", "run")


def view(row: Attempt) -> AttemptView:
    """The attempt as it is known."""
    results = msgspec.convert(row.results, list[Result])
    runs = row.is_open and not row.pairs and row.run in _live((row.run,))
    before = _before(row) if row.is_open else None
    passed = row.passed == row.of
    return AttemptView(row.run, passed, row.is_open, results, runs, *before or ())


def _before(row: Attempt) -> turns.Ahead | None:
    """What the last of the runs that it waits for has before it; None if none of them waits."""
    waiting = Run.objects.filter(pk__in=_runs(row), state=State.QUEUED)
    return max(filter(None, map(turns.ahead, waiting)), default=None, key=lambda each: each.runs)


def _runs(row: Attempt) -> set[str]:
    """The ids of the runs by which an open attempt goes on: its own, and then what that is compared
    by."""
    pairs = {each for pair in row.pairs.values() for each in pair if isinstance(each, str)}
    return pairs or {row.run}


def look() -> None:
    """Settles, of all open attempts, those whose runs have ended. Called every LOOK_SECONDS: what
    somebody has solved counts though their page is gone."""
    left = list(Attempt.objects.filter(is_open=True).select_related("exercise__workshop", "seat"))
    live = _live({run for each in left for run in _runs(each)})
    for each in left:
        if live.isdisjoint(_runs(each)):
            _try_to_settle(each)


def _live(runs: Collection[str]) -> set[str]:
    return set(Run.objects.filter(pk__in=runs, state__in=LIVE).values_list("pk", flat=True))


def _try_to_settle(row: Attempt) -> None:
    """One that fails does not hold up the others. Raises DatabaseError."""
    try:
        settled(row)
    except Refused as later:
        log.info("attempt %s is judged later: %s", row.pk, later)
    except DatabaseError:
        raise
    except Exception:
        log.exception("attempt %s", row.pk)


def settled(row: Attempt) -> Attempt:
    """The attempt, with all that can be said by now. Raises Refused where others come first."""
    try:
        if row.is_open and not row.pairs:
            row = _judged(row)
        return _compared(row) if row.is_open and row.pairs else row
    except Refused as refused:
        if refused.refusal.status in _LATER:
            raise
        return _closed(row, refused.refusal.message)


def _judged(row: Attempt) -> Attempt:
    """By its run's report, if that has ended: what else it waits for is asked for once, whoever
    looks at the same time."""
    run = Run.objects.filter(pk=row.run).first()
    if run is None:
        return _closed(row, "The run is gone, check another one.")
    wanted = trying.defined(row.exercise)
    if isinstance(wanted, Refusal):
        return _closed(row, f"This exercise cannot be checked: {wanted.message}")
    if run.state not in FINAL:
        return row
    found = _checked(wanted, trying.is_other(row.exercise, wanted, run), run)
    with transaction.atomic():
        held = Attempt.objects.select_for_update().filter(pk=row.pk).first()
        if held is None or held.pairs or not held.is_open:
            return held or row
        row.pairs, row.speedup = _asked(row, wanted, found, run), found.speedup
        _keep(row, found.results)
    return row


def _checked(wanted: Definition, is_other: str, run: Run) -> Checked:
    given = (msgspec.json.encode(wanted), is_other.encode(), views.stored(run))
    found = apart.done(judged.checked, *given)
    return msgspec.json.decode(found, type=Checked)


def _asked(row: Attempt, wanted: Definition, found: Checked, run: Run) -> dict[str, Sequence[Any]]:
    """The runs that were asked for, by the place of the check that they are for."""
    hopeful = all(each.passed or each.pending for each in found.results)
    return {
        str(at): LATER[type(check)].begin(row.seat, row.exercise, check, run, hopeful)
        for at, check in enumerate(wanted.check)
        if found.results[at].pending
    }


def _compared(row: Attempt) -> Attempt:
    """With what the comparisons that are over by now came to."""
    wanted = trying.defined(row.exercise)
    if isinstance(wanted, Refusal):
        return _closed(row, f"This exercise cannot be checked: {wanted.message}")
    results = msgspec.convert(row.results, list[Result])
    before = list(results)
    for at, pair in ((int(at), pair) for at, pair in row.pairs.items()):
        if results[at].pending:
            seen = LATER[type(wanted.check[at])].seen(row.exercise, wanted.check[at], pair)
            results[at] = Result(results[at].wants, *seen) if seen else results[at]
    return row if results == before else _keep(row, results)


def _closed(row: Attempt, says: str) -> Attempt:
    """What is not known of it never will be, which this says."""
    known = msgspec.convert(row.results, list[Result])
    return _keep(row, [Result(each.wants, False, says) if each.pending else each for each in known])


def _keep(row: Attempt, results: Sequence[Result]) -> Attempt:
    # What a stranger's run says may have signs that are not seen, and PostgreSQL keeps no NUL.
    results = [msgspec.structs.replace(each, says=_sentence(each.says)) for each in results]
    row.results = msgspec.to_builtins(results)
    row.passed = sum(each.passed for each in results)
    row.is_open = any(each.pending for each in results)
    fields = ("results", "passed", "is_open", "pairs", "speedup")
    # The exercise may have been changed meanwhile, which drops its attempts.
    Attempt.objects.filter(pk=row.pk).update(**{each: getattr(row, each) for each in fields})
    transaction.on_commit(lambda: announce(row.exercise.workshop_id))
    return row


def _sentence(says: str) -> str:
    seen = visible(says[: LONGEST + 1])
    return seen if len(seen) <= LONGEST else f"{seen[: LONGEST - 1]}…"
