"""The places of a worker at which runs compute. Who has shown nothing yet comes first.

A run begins at one of `runs` places, and stays there until its first IR is told. It then goes on at
one of as many others; but while somebody still waits to begin, it stands still, with its processes
stopped, and what it holds of the machine is memory. Those that stand still take turns as those do
who wait to begin: person by person, each with the oldest of their runs, and among them by the same
precedence.
"""

import enum
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from heapq import heapify, heapreplace
from math import ceil
from statistics import fmean

from compiler_core.wording import counted

# Whoever has begun for so long without showing anything is no beginner any more.
BEGINNING_S = 5.0
# However many wait to begin, a run stands still no longer than this if there is a place to go on.
PATIENCE_S = 30.0
# The pace is the mean of so many runs.
_LATEST = 20


class At(enum.Enum):
    """The stages of a run on its way: it has shown nothing yet, stands still, or goes on."""

    BEGINS = enum.auto()
    STANDS = enum.auto()
    GOES_ON = enum.auto()
    GONE = enum.auto()


class Place:
    """One run's; in the worker's hands for as long as it has a process. `unseen`: nobody looks at
    it."""

    def __init__(
        self, places: "Places", run: str, owner: str, now: float, *, unseen: bool = False
    ) -> None:
        self.run, self.owner, self.at, self.since = run, owner, At.BEGINS, now
        self.unseen = unseen
        # It begins no more: somebody else may.
        self.left = threading.Event()
        self.wake: Callable[[], None] = lambda: None
        self._places = places

    @property
    def stands(self) -> bool:
        """Whether the run stands still."""
        return self.at is At.STANDS

    def shown(self, wake: Callable[[], None]) -> bool:
        """Its first IR is told; whether it may go on at once. If not, `wake` is called when it may,
        from any thread."""
        self.wake = wake
        if self.at is At.BEGINS:
            self._places.move(self, At.STANDS)
        return self.may_go_on()

    def may_go_on(self) -> bool:
        """Whether it need not wait any longer."""
        return self.at is not At.STANDS

    def words(self) -> str:
        """What it waits for, for whoever looks at the run."""
        return self._places.words(self)

    def leave(self) -> None:
        """The run is over."""
        self._places.move(self, At.GONE)


class Places:
    """`runs` to begin at, and as many to go on at. At most `most` runs stand still, and none begins
    that could come to do so while there is no `memory`; `waiting` says how many runs wait to begin
    that this worker could take. `precedence` puts the ids of runs that stand still, given
    in the order of people, into that in which they go on; it may ask a database. `usual_s` is how
    long a run goes on before any has here; 0 where that is not known."""

    def __init__(
        self,
        runs: int,
        most: int,
        *,
        waiting: Callable[[], int] = lambda: 0,
        memory: Callable[[], bool] = lambda: True,
        precedence: Callable[[Sequence[str]], Sequence[str]] = lambda runs: runs,
        usual_s: float = 0.0,
    ) -> None:
        self._runs, self._most = runs, most
        self._waiting, self._memory = waiting, memory
        self._precedence, self._usual_s = precedence, usual_s
        self._lock = threading.Lock()
        self._all: list[Place] = []
        # The runs that stood still at the last look, the next one first.
        self._order: Sequence[str] = ()
        # When a run of theirs last went on.
        self._served: dict[str, float] = {}
        # How many begin before those that stand still go on.
        self._beginners = 0
        self._began = deque[float](maxlen=_LATEST)
        self._went_on = deque[float](maxlen=_LATEST)

    def open(self) -> bool:
        """Whether one more run may begin."""
        with self._lock:
            here, standing = len(self._all), len(self._those(At.STANDS))
        return here < self._runs or (standing < self._most and self._memory())

    def open_to_unseen(self) -> bool:
        """Whether one more run may begin that nobody looks at: a place is left for whoever comes
        while it begins, where there is more than one."""
        with self._lock:
            unseen = sum(place.unseen for place in self._those(At.BEGINS))
        return unseen < max(1, self._runs - 1)

    def take(self, run: str, owner: str, *, unseen: bool = False) -> Place:
        """A place to begin at, for the run with this id, of `owner`."""
        place = Place(self, run, owner, time.monotonic(), unseen=unseen)
        with self._lock:
            self._all.append(place)
        return place

    def move(self, place: Place, to: At) -> None:
        """A run has shown its first IR, or is over."""
        with self._lock:
            self._move(place, to, time.monotonic())
        self.look()

    def look(self) -> None:
        """Lets those go on who may; called again and again, and whenever a run moves."""
        waiting = self._waiting() if self.standing else 0
        beginners = waiting if waiting and self.open() else 0
        with self._lock:
            people = [place.run for place in self._by_people()]
        order = self._precedence(people) if len(people) > 1 else people
        with self._lock:
            self._beginners, self._order = beginners, order
            now = time.monotonic()
            for place in self._may_go_on(now):
                self._move(place, At.GOES_ON, now)

    @property
    def standing(self) -> int:
        """How many runs stand still."""
        return len(self._those(At.STANDS))

    @property
    def somebody_begins(self) -> bool:
        """Whether a run is here that has shown nothing yet."""
        return any(place.at is At.BEGINS for place in [*self._all])

    @property
    def beginning_s(self) -> float:
        """How long the latest runs began, in the mean, in seconds; 0 before the first."""
        with self._lock:
            return fmean(self._began) if self._began else 0.0

    def words(self, place: Place) -> str:
        """What a run that stands still waits for."""
        with self._lock:
            turns = self._in_turn()
            before = turns.index(place) if place in turns else 0
            seconds = self._seconds(place, before, time.monotonic())
            beginners = self._beginners
        words = f"{counted(before, 'run')} before it" if before else "next"
        if beginners:
            words += ", after those that have shown nothing yet"
        return f"{words}, about {seconds} s" if seconds else words

    def _seconds(self, place: Place, before: int, now: float) -> int:
        """About how long until a run goes on that stands still with so many before it; 0 where
        nobody knows how long runs go on."""
        pace = fmean(self._went_on) if self._went_on else self._usual_s
        if not pace:
            return 0
        begun_in = self._beginners * (fmean(self._began) if self._began else 0.0) / self._runs
        begun_in = min(begun_in, max(0.0, place.since + PATIENCE_S - now))
        free = [max(begun_in, each.since + pace - now) for each in self._those(At.GOES_ON)]
        free += [begun_in] * (self._runs - len(free))
        heapify(free)
        for _ in range(before):
            heapreplace(free, free[0] + pace)
        return ceil(free[0])

    def _move(self, place: Place, to: At, now: float) -> None:
        spent = now - place.since
        if place.at is At.BEGINS:
            self._began.append(spent)
        elif place.at is At.GOES_ON:
            self._went_on.append(spent)
        place.at, place.since = to, now
        place.left.set()
        if to is At.GOES_ON:
            here = {each.owner for each in self._all}
            self._served = {who: at for who, at in self._served.items() if who in here}
            self._served[place.owner] = now
            place.wake()
        if to is At.GONE and place in self._all:
            self._all.remove(place)

    def _may_go_on(self, now: float) -> list[Place]:
        late = [p for p in self._those(At.BEGINS) if now > p.since + BEGINNING_S]
        patient = [p for p in self._in_turn() if not self._beginners or now > p.since + PATIENCE_S]
        free = self._runs - len(self._those(At.GOES_ON))
        return (late + patient)[: max(0, free)]

    def _in_turn(self) -> list[Place]:
        """Those that stand still, the next one first: whoever has come since the last look is
        behind the others until the next."""
        at = {run: number for number, run in enumerate(self._order)}
        return sorted(self._by_people(), key=lambda place: at.get(place.run, len(at)))

    def _by_people(self) -> list[Place]:
        """Those that stand still, person by person."""
        seen = Counter[str]()
        turns: dict[Place, tuple[int, float, float]] = {}
        for place in sorted(self._those(At.STANDS), key=lambda p: p.since):
            served = self._served.get(place.owner, 0.0)
            turns[place] = (seen[place.owner], max(place.since, served), place.since)
            seen[place.owner] += 1
        return sorted(turns, key=turns.__getitem__)

    def _those(self, at: At) -> list[Place]:
        return [place for place in [*self._all] if place.at is at]
