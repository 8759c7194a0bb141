"""Who leads a workshop goes before those in it: what a room waits to be shown is run first."""

from collections.abc import Sequence

from webapp.runs.turns import Turn
from webapp.workshops.models import Seat, Workshop, living


def leaders_first(waiting: Sequence[Turn]) -> list[Turn]:
    """`waiting`, where the next run of whoever leads a room has the place of the first of the
    room's that waits. Nobody else waits longer for it: only the room's own runs move."""
    order = list(waiting)
    for leaders, seats in _rooms({each.owner for each in waiting}):
        first = next(at for at, each in enumerate(order) if each.owner in seats)
        led = next(at for at, each in enumerate(order) if each.owner in leaders)
        places = [at for at in range(first, led + 1) if order[at].owner in seats]
        runs = [order[led], *(order[at] for at in places if at != led)]
        for at, run in zip(places, runs, strict=True):
            order[at] = run
    return order


def _rooms(owners: set[str]) -> list[tuple[set[str], set[str]]]:
    """Of each room of which both a leader and somebody else waits: the owners who lead it, and all
    who are in it."""
    if len(owners) < 2:
        return []
    seats = Seat.objects.filter(owner__in=owners, left=False, removed=False)
    there = seats.filter(workshop__in=Workshop.objects.filter(living()))
    rooms: dict[str, tuple[set[str], set[str]]] = {}
    for room, owner, leads in there.order_by("pk").values_list("workshop", "owner", "leads"):
        leaders, all_ = rooms.setdefault(room, (set(), set()))
        all_.add(owner)
        if leads:
            leaders.add(owner)
    return [room for room in rooms.values() if room[0] and room[0] != room[1]]
