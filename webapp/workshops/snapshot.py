"""What a person in a workshop is told of it."""

import time
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
from django.db.models import Exists, OuterRef
from django.utils import timezone

from webapp.runs import events, verdict
from webapp.runs.models import Run, RunCard, State
from webapp.workshops import leading
from webapp.workshops.exercises import progress
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Deck, Seat, SentBack, Workshop
from webapp.workshops.text import pen
from webapp.workshops.wire import DeckAt, Removed, Room, SeatRun, SeatView

# A page's socket says every SEEN_EVERY_S that it is there.
SEEN_EVERY_S = 10
LATELY = timedelta(seconds=2.5 * SEEN_EVERY_S)


@dataclass(frozen=True)
class Look:
    """A workshop as it was read at once: what all in it are told of, each their part."""

    workshop: Workshop
    seats: Sequence[Seat]
    # The seats of those who were removed.
    removed: Sequence[Seat]
    runs: Mapping[int, SeatRun]
    passed: Mapping[int, int]
    # The ids of the seats to which a text was sent back that they have not read.
    sent_back: Set[int]
    deck: DeckAt | None
    exercises: int
    # By the process's clock: of two looks the later one has seen more.
    taken: float = field(default_factory=time.monotonic)

    def has_removed(self, owner: str) -> bool:
        """Whether the person with this digest was removed."""
        return any(seat.owner == owner for seat in self.removed)

    def seat_of(self, owner: str) -> Seat | None:
        """Where the person with this digest sits; None if they are not in the workshop."""
        return next((seat for seat in self.seats if owner and seat.owner == owner), None)


def look(workshop: Workshop, you: Seat | None = None) -> Look:
    """All that there is to be told; or only what `you` are."""
    all_ = Seat.objects.filter(workshop=workshop, left=False).order_by("pk")
    seats = [seat for seat in all_ if not seat.removed]
    removed = [seat for seat in all_ if seat.removed]
    known = [seat for seat in seats if you is None or you.leads or seat.pk == you.pk]
    count = Exercise.objects.filter(workshop=workshop).count()
    returned = SentBack.objects.filter(seat__in=known).values_list("pk", flat=True)
    work = (_runs(known), progress.passed(known), set(returned))
    return Look(workshop, seats, removed, *work, _deck(workshop), count)


def room(workshop: Workshop, you: Seat) -> Room:
    """The workshop as it is now, for the person at the seat `you`."""
    return room_seen_by(look(workshop, you), you)


def room_seen_by(seen: Look, you: Seat) -> Room:
    """What of it the person at the seat `you` is told: of the others' work only who leads is."""
    workshop = seen.workshop
    return Room(
        code=workshop.code,
        title=workshop.title,
        locked=workshop.locked,
        options=workshop.options,
        place=workshop.place,
        front=workshop.front,
        front_tab=workshop.front_tab,
        handed_out=workshop.handed_out,
        you=you.pk,
        seats=[
            _seen(seat, seen, you.leads or seat.pk == you.pk)
            for seat in seen.seats
            if you.leads or seat.pk == you.pk or not seat.muted
        ],
        deck=seen.deck,
        exercises=seen.exercises,
        board=workshop.board,
        kept=workshop.kept,
        lead_link=leading.link(workshop.code) if you.leads else "",
        removed=[Removed(each.pk, each.name) for each in seen.removed] if you.leads else [],
    )


def _deck(workshop: Workshop) -> DeckAt | None:
    """Without its files, which are asked for once."""
    fields = ("page", "pages", "edition", "turns", "ran", "latest")
    at = Deck.objects.filter(workshop=workshop, pages__gt=0).values_list(*fields).first()
    return at and DeckAt(*at)


def _runs(seats: Iterable[Seat]) -> dict[int, SeatRun]:
    """The runs at these seats, by the seat's id."""
    at = {seat.pk: seat.run for seat in seats if seat.run}
    pictured = Exists(RunCard.objects.filter(run=OuterRef("pk")))
    found = Run.objects.filter(pk__in=at.values()).values_list("pk", "state", "verdict", pictured)
    known = {
        run: SeatRun(run, state, said, has_picture, verdict.asks(said))
        for run, state, said, has_picture in found
    }
    running = [run for run, each in known.items() if each.state == State.RUNNING]
    for run, waits in events.waits_for(running).items() if running else ():
        known[run] = msgspec.structs.replace(known[run], waits=waits)
    return {pk: known[run] for pk, run in at.items() if run in known}


def _seen(seat: Seat, seen: Look, is_known: bool) -> SeatView:
    return SeatView(
        id=seat.pk,
        name=seat.name,
        leads=seat.leads,
        follows=seat.follows,
        # A clock that was set back has nobody be here from what is yet to come.
        here=abs(timezone.now() - seat.seen) < LATELY,
        pen=pen.holds(seat),
        run=seen.runs.get(seat.pk) if is_known else None,
        passed=seen.passed.get(seat.pk) if is_known else None,
        comment=seat.comment if is_known else "",
        muted=seat.muted,
        editing=seat.editing and is_known,
        sent_back=seat.pk in seen.sent_back and is_known,
    )
