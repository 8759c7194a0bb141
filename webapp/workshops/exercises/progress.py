"""How far seats are with exercises: attempts, hints that were opened, the board."""

from collections import defaultdict
from collections.abc import Iterable
from math import exp, fsum, log

from django.db.models import F

from webapp.errors import Refusal
from webapp.lru import lru_cached
from webapp.workshops.courses import markdown
from webapp.workshops.exercises import checking, trying
from webapp.workshops.exercises.attempts import view as shown
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.models import Attempt, Exercise, HintsSeen
from webapp.workshops.exercises.wire import Board, ExerciseView, Hint, Standing
from webapp.workshops.models import Seat, Workshop, seen_by


def defined(exercise: Exercise) -> Definition:
    """What the exercise wants; of one that was put there in a form that is read no more, that."""
    found = trying.defined(exercise)
    if isinstance(found, Refusal):
        text = f"This exercise cannot be checked: {found.message} {found.remedy}"
        return Definition(exercise.name, text, call="", check=[])
    return found


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
        last=shown(attempts[-1]) if attempts else None,
    )


@lru_cached(2**23, len)
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
