"""What a person in a workshop is told of it."""

from collections.abc import Iterable
from datetime import timedelta

from django.utils import timezone

from webapp.runs.models import Run
from webapp.workshops import leading
from webapp.workshops.exercises import progress
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Deck, Seat, Workshop, seated
from webapp.workshops.text import pen
from webapp.workshops.wire import DeckAt, Room, SeatRun, SeatView

# A page's socket says every SEEN_EVERY_S that it is there.
SEEN_EVERY_S = 10
LATELY = timedelta(seconds=2.5 * SEEN_EVERY_S)


def room(workshop: Workshop, you: Seat) -> Room:
    """The workshop as it is now, for the person at the seat `you`."""
    seats = list(seated(workshop))
    known = [seat for seat in seats if you.leads or seat.pk == you.pk]
    runs, passed = _runs(known), progress.passed(known)
    return Room(
        code=workshop.code,
        title=workshop.title,
        locked=workshop.locked,
        options=workshop.options,
        place=workshop.place,
        handed_out=workshop.handed_out,
        you=you.pk,
        seats=[_seen(seat, runs, passed) for seat in seats],
        deck=_deck(workshop),
        exercises=Exercise.objects.filter(workshop=workshop).count(),
        board=workshop.board,
        lead_link=leading.link(workshop.code) if you.leads else "",
    )


def _deck(workshop: Workshop) -> DeckAt | None:
    """Without its files, which are asked for once."""
    at = Deck.objects.filter(workshop=workshop).values_list("page", "pages", "edition").first()
    return at and DeckAt(*at)


def _runs(seats: Iterable[Seat]) -> dict[int, SeatRun]:
    """The runs at these seats, by the seat's id."""
    at = {seat.pk: seat.run for seat in seats if seat.run}
    found = Run.objects.filter(pk__in=at.values()).values_list("pk", "state", "verdict")
    known = {run: SeatRun(run, state, verdict) for run, state, verdict in found}
    return {pk: known[run] for pk, run in at.items() if run in known}


def _seen(seat: Seat, runs: dict[int, SeatRun], passed: dict[int, int]) -> SeatView:
    return SeatView(
        id=seat.pk,
        name=seat.name,
        leads=seat.leads,
        follows=seat.follows,
        here=timezone.now() - seat.seen < LATELY,
        pen=pen.holds(seat),
        run=runs.get(seat.pk),
        passed=passed.get(seat.pk),
        # As what was passed: for the leader and for themselves.
        comment=seat.comment if seat.pk in passed else "",
    )
