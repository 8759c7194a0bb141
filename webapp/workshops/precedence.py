"""Who leads a workshop goes before those in it: what a room waits to be shown is run first."""

from collections.abc import Sequence

from webapp.runs import asks
from webapp.workshops.models import Seat, Workshop, living


def leaders_first(waiting: Sequence[str]) -> list[str]:
    """The runs that wait, where the next one that whoever leads a room waits for, be it with
    others, has the place of the first of the room's. Nobody else waits longer for it: of other runs
    only those move for which nobody outside the room waits."""
    order, askers = list(waiting), asks.askers(waiting)
    for leaders, seats in _rooms(set().union(*askers.values())):
        led = next(at for at, run in enumerate(order) if askers[run] & leaders)
        own = [at for at in range(led) if askers[order[at]] and askers[order[at]] <= seats]
        runs = [order[at] for at in (led, *own)]
        for at, run in zip((*own, led), runs, strict=True):
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
