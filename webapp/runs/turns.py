"""Whose turn it is among the runs that wait at one place.

People take turns, each with the oldest of their runs: who came, or was served, longest ago is next.
A task in the queue is a turn at its place, and not one run's own: who queues a hundred runs delays
others by one run each, and not by a hundred.

What the service asks for itself, such as the runs by which an answer is checked, shows nobody
anything: it lets those begin first who wait to see something, for PATIENCE_S at most.
"""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from math import ceil
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Count, Max
from django.utils import timezone
from redis.exceptions import RedisError

from webapp.runs import lifecycle, queue, workers
from webapp.runs.models import Run, State
from webapp.runs.workers import WorkerInfo

# A clock that was set back leaves stamps behind that are yet to come. Further ahead than the clocks
# of two machines are apart, they are of before that: older than all since.
_AHEAD = timedelta(minutes=1)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
PATIENCE_S = 30
_NO_WORKER = "no worker is there"
# How long the order of those who wait is taken as it was, in seconds: every page that waits asks.
_ORDER_KEPT = 1


# What other rooms have to say of the order of those who wait, which they add when they are loaded.
PRECEDENCE: list[Callable[[Sequence[str]], list[str]]] = []


class Ahead(NamedTuple):
    """How many runs are begun before, and about how many seconds that takes; None: not known. Why
    no worker takes any now; blank where one does."""

    runs: int
    seconds: int | None
    waits_for: str = ""


def order(place: str, *, unseen: bool = True) -> Sequence[str]:
    """The ids of the runs that wait at `place`, the next one first; without `unseen` of those at
    which somebody looks."""
    kind, toolchain = queue.parts(place)
    waiting = Run.objects.filter(state=State.QUEUED, queue=kind).order_by("created", "pk")
    mine: dict[str, list[tuple[datetime, str, bool]]] = defaultdict(list)
    fields = ("pk", "options", "owner", "created", "address")
    if not unseen:
        waiting = waiting.exclude(address="")
    for run_id, options, owner, created, address in waiting.values_list(*fields):
        if options.get("toolchain", "") == toolchain:
            mine[owner].append((created, run_id, not address))
    now = timezone.now()
    served, past, long_ago = _last_served(mine), _past(now), now - timedelta(seconds=PATIENCE_S)
    turns = (
        # Who comes is behind everybody that waits, and whoever was served behind those who came
        # before: new names gain nothing, and nobody is passed over for ever.
        (
            is_unseen and past(created) > long_ago,
            number,
            max(past(created), past(served.get(who, created))),
            created,
            run_id,
        )
        for who, runs in mine.items()
        for number, (created, run_id, is_unseen) in enumerate(runs)
    )
    return preferred([run_id for *_, run_id in sorted(turns)])


def preferred(waiting: Sequence[str]) -> Sequence[str]:
    """The ids of runs that wait for a turn, in the order of people, with those first of whom
    another room says so. They wait to begin, or have begun and wait to go on."""
    for reorder in PRECEDENCE:
        waiting = reorder(waiting)
    return waiting


def waiting(kind: str) -> int:
    """How many runs wait in this queue."""
    return Run.objects.filter(state=State.QUEUED, queue=kind).count()


def waiting_at(places: Collection[str]) -> int:
    """How many runs wait at any of these places."""
    found = Run.objects.filter(state=State.QUEUED).values_list("queue", "options__toolchain")
    counted = found.annotate(runs=Count("pk")).order_by()
    return sum(n for kind, name, n in counted if queue.address(kind, name or "") in places)


def begin_next(place: str, worker: str, *, unseen: bool = True) -> Run | None:
    """Begins the run whose turn it is at `place`, for the worker with this id; None if none waits,
    or none but such as nobody looks at where those may not, `unseen`.
    Another turn may begin one at the same moment: then it is the next one's. Where all that were
    seen are begun, another may have come since whose own turn was taken for one of these."""
    while waiting := order(place, unseen=unseen):
        for run_id in waiting:
            if run := lifecycle.start(run_id, worker):
                return run
    return None


def ahead(run: Run) -> Ahead | None:
    """What a run that waits has before it; None if it does not wait, or nobody knows."""
    if run.state != State.QUEUED:
        return None
    place = queue.place(run)
    with contextlib.suppress(RedisError):
        waiting = cache.get_or_set(f"turns:{place}", lambda: order(place), _ORDER_KEPT)
        before = waiting.index(run.pk) if run.pk in waiting else len(waiting)
        known = workers.alive()
        serving = workers.serving(run.queue, known)
        return Ahead(before, _seconds(before, serving), _waits_for(serving, known))
    return None


def _last_served(owners: Iterable[str]) -> dict[str, datetime]:
    begun = Run.objects.filter(owner__in=list(owners), started__isnull=False)
    return dict(begun.values_list("owner").annotate(Max("started")).order_by())


def _past(now: datetime) -> Callable[[datetime], datetime]:
    """When something was stamped, by a clock that says `now`."""
    return lambda stamp: stamp if stamp <= now + _AHEAD else _LONG_AGO


def _waits_for(serving: Sequence[WorkerInfo], known: Sequence[WorkerInfo]) -> str:
    """Why none of those that serve a run takes it now; blank where one does. A worker that cannot
    work serves none."""
    if any(not each.problem for each in serving):
        return ""
    return next((each.problem for each in serving or known if each.problem), _NO_WORKER)


def _seconds(before: int, serving: Sequence[WorkerInfo]) -> int | None:
    """Until a run begins that has so many before it: each leaves its place with its first IR, and
    the workers say how long that takes."""
    each_second = sum(each.runs / each.beginning_s for each in serving if each.beginning_s)
    return ceil((before + 1) / each_second) if each_second else None
