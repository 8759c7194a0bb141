"""How far seats are with exercises: runs that were checked, hints that were opened, the board."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import exp, fsum, log
from typing import Any, NamedTuple

import msgspec
from django.db.models import F

from webapp.apart import asking as apart
from webapp.errors import Refusal
from webapp.runs import asks, turns, views
from webapp.runs.models import FINAL, Run, State
from webapp.runs.models import named as run_named
from webapp.workshops.courses import markdown
from webapp.workshops.exercises import calling, checking, comparing, judged, trying
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judged import Checked
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Check, Equal, Recompiles
from webapp.workshops.exercises.models import Attempt, Exercise, HintsSeen
from webapp.workshops.exercises.wire import AttemptView, Board, ExerciseView, Hint, Standing
from webapp.workshops.models import Seat, Workshop, seen_by

# Of one seat at one exercise: whoever scripts attempts does not fill the database.
MOST_ATTEMPTS = 200


class Later(NamedTuple):
    """A kind of check that runs of its own make: asks for them, knowing whether all other checks
    may pass yet, and says what came of them."""

    begin: Callable[[Seat, Exercise, Any, Run, bool], Sequence[Any]]
    seen: Callable[[Exercise, Any, Sequence[Any]], Seen | None]


LATER: dict[type[Check], Later] = {
    Equal: Later(comparing.begin, comparing.seen),
    Recompiles: Later(calling.begin, calling.seen),
}


def defined(exercise: Exercise) -> Definition:
    """What the exercise wants; of one that was put there in a form that is read no more, that."""
    found = trying.defined(exercise)
    if isinstance(found, Refusal):
        told = f"This exercise cannot be checked: {found.message} {found.remedy}"
        return Definition(exercise.name, told, call="", check=[])
    return found


def attempt(seat: Seat, exercise: Exercise, run_id: str) -> AttemptView | Refusal:
    """Checks a run that this seat's person asked for and that has ended. The same run is checked,
    and counted, once. Raises Refused."""
    run = run_named(run_id).first()
    if run is None or not asks.asked(run, seat.owner):
        message = f'There is no run "{run_id[:40]}" of yours.'
        return Refusal(404, message, "Check a run that was asked for at this seat.", "run")
    before = Attempt.objects.filter(seat=seat, exercise=exercise, run=run.pk).first()
    if before is not None:
        return _attempt(before)
    if refusal := _uncheckable(seat, exercise, run):
        return refusal
    wanted = trying.defined(exercise)
    if isinstance(wanted, Refusal):
        return wanted
    found = _checked(wanted, trying.is_other(exercise, wanted, run), run)
    hopeful = all(each.passed or each.pending for each in found.results)
    pairs = {
        at: LATER[type(check)].begin(seat, exercise, check, run, hopeful)
        for at, check in enumerate(wanted.check)
        if found.results[at].pending
    }
    made, _ = Attempt.objects.get_or_create(
        seat=seat,
        exercise=exercise,
        run=run.pk,
        defaults={
            "passed": sum(each.passed for each in found.results),
            "of": len(found.results),
            "results": msgspec.to_builtins(found.results),
            "pairs": pairs,
            "speedup": found.speedup,
        },
    )
    return _attempt(made)


def _checked(wanted: Definition, is_other: str, run: Run) -> Checked:
    given = (msgspec.json.encode(wanted), is_other.encode(), views.stored(run))
    found = apart.done(judged.checked, *given)
    return msgspec.json.decode(found, type=Checked)


def _uncheckable(seat: Seat, exercise: Exercise, run: Run) -> Refusal | None:
    if run.state not in FINAL:
        return Refusal(422, "The run has not ended yet.", "Check it when it has.", "run")
    if Attempt.objects.filter(seat=seat, exercise=exercise).count() >= MOST_ATTEMPTS:
        message = f"This exercise was attempted {MOST_ATTEMPTS} times at this seat."
        return Refusal(429, message, "Go on with another.", "run")
    return None


def _attempt(row: Attempt) -> AttemptView:
    results = msgspec.convert(row.results, list[checking.Result])
    if any(each.pending for each in results):
        results = _settled(row, results)
    pending = any(each.pending for each in results)
    before = _before(row) if pending else None
    return AttemptView(row.run, row.passed == row.of, pending, results, *before or (None, None))


def _before(row: Attempt) -> turns.Ahead | None:
    """What the last of the runs that it compares by has before it; None if none of them waits."""
    runs = {each for pair in row.pairs.values() for each in pair if isinstance(each, str)}
    waiting = Run.objects.filter(pk__in=runs, state=State.QUEUED)
    return max(filter(None, map(turns.ahead, waiting)), default=None, key=lambda each: each.runs)


def _settled(row: Attempt, results: list[checking.Result]) -> list[checking.Result]:
    """The results, with what the comparisons that are over by now came to."""
    wanted = defined(row.exercise)
    for at, pair in row.pairs.items():
        check, before = wanted.check[int(at)], results[int(at)]
        if before.pending:
            found = LATER[type(check)].seen(row.exercise, check, pair)
            if found is not None:
                results[int(at)] = checking.Result(before.wants, *found)
    row.results = msgspec.to_builtins(results)
    row.passed = sum(each.passed for each in results)
    row.save(update_fields=["results", "passed"])
    return results


def open_hint(seat: Seat, exercise: Exercise, number: int) -> Hint | Refusal:
    """The hint with this number, from 1; those before it count as opened too."""
    hints = defined(exercise).hints
    if not 1 <= number <= len(hints):
        there = f"Choose one of 1 to {len(hints)}." if hints else "It has none."
        return Refusal(404, f"There is no hint {number}.", there, "number")
    seen, _ = HintsSeen.objects.get_or_create(seat=seat, exercise=exercise)
    HintsSeen.objects.filter(pk=seen.pk, count__lt=number).update(count=number)
    return Hint(number, _html(hints[number - 1]))


def of_seat(workshop: Workshop, seat: Seat) -> list[ExerciseView]:
    """The workshop's exercises as this seat sees them."""
    attempts: dict[int, list[Attempt]] = defaultdict(list)
    for each in Attempt.objects.filter(seat=seat):
        attempts[each.exercise_id].append(each)
    opened = dict(HintsSeen.objects.filter(seat=seat).values_list("exercise_id", "count"))
    return [
        _view(each, attempts[each.pk], opened.get(each.pk, 0))
        for each in Exercise.objects.filter(workshop=workshop)
    ]


def _view(exercise: Exercise, attempts: list[Attempt], opened: int) -> ExerciseView:
    wanted = defined(exercise)
    # First: a comparison that is over by now counts.
    last = _attempt(attempts[-1]) if attempts else None
    return ExerciseView(
        name=exercise.name,
        title=wanted.title,
        text=_html(wanted.text),
        start=exercise.start,
        wants=checking.wants(wanted),
        call=wanted.call,
        hints=len(wanted.hints),
        opened=[_html(each) for each in wanted.hints[:opened]],
        attempts=len(attempts),
        passed=any(each.passed == each.of for each in attempts),
        last=last,
    )


def _html(text: str) -> str:
    return markdown.html(markdown.parsed(text))


def passed(seats: Iterable[Seat]) -> dict[int, int]:
    """How many exercises were passed at each of these seats, by the seat's id."""
    found: dict[int, set[int]] = {seat.pk: set() for seat in seats}
    solved = Attempt.objects.filter(seat__in=found, passed=F("of"))
    for seat, exercise in solved.values_list("seat", "exercise"):
        found[seat].add(exercise)
    return {seat: len(exercises) for seat, exercises in found.items()}


def board(workshop: Workshop, you: Seat) -> Board:
    """The board of those whom the person at the seat `you` sees."""
    return Board([line for _, line in standings(workshop, seen_by(you))])


def standings(workshop: Workshop, seats: Iterable[Seat]) -> list[tuple[Seat, Standing]]:
    """Of these seats but the leaders', by checks passed, then by speed. Of each exercise the best
    attempt counts: most checks, and of equal ones the fastest."""
    of = sum(len(defined(each).check) for each in Exercise.objects.filter(workshop=workshop))
    tried: dict[int, list[Attempt]] = defaultdict(list)
    for each in Attempt.objects.filter(seat__workshop=workshop).defer("results"):
        tried[each.seat_id].append(each)
    opened: dict[int, int] = defaultdict(int)
    for seen in HintsSeen.objects.filter(seat__workshop=workshop):
        opened[seen.seat_id] += seen.count
    lines = [
        (seat, _standing(seat, tried[seat.pk], opened[seat.pk], of))
        for seat in seats
        if not seat.leads
    ]
    return sorted(lines, key=lambda line: (-line[1].checks, -(line[1].speedup or 0)))


def _standing(seat: Seat, attempts: list[Attempt], hints: int, of: int) -> Standing:
    best: dict[int, Attempt] = {}
    for each in sorted(attempts, key=lambda a: (a.passed, a.speedup or 0)):
        best[each.exercise_id] = each
    solved = [each for each in best.values() if each.passed == each.of]
    logs = [log(each.speedup) for each in solved if each.speedup]
    return Standing(
        name=seat.name,
        checks=sum(each.passed for each in best.values()),
        of=of,
        exercises=len(solved),
        speedup=exp(fsum(logs) / len(logs)) if logs else None,
        attempts=len(attempts),
        hints=hints,
    )
