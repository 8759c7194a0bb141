"""Who of a worker's runs computes: who has shown nothing yet comes first."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import count

import pytest

from worker import places
from worker.places import BEGINNING_S, PATIENCE_S, At, Place, Places

_NUMBER = count(1)


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    made = Clock()
    monkeypatch.setattr(places, "time", made)
    yield made


class Crowd:
    """Those who wait to begin."""

    waits = True

    def __call__(self) -> bool:
        return self.waits


def standing(room: Places, *owners: str) -> list[Place]:
    """A run of each, whose id begins with its owner, that has shown its first IR."""
    made = []
    for owner in owners:
        place = room.take(f"{owner}{next(_NUMBER)}", owner)
        assert not place.shown(lambda: None)
        made.append(place)
    return made


def going_on(of: list[Place]) -> str:
    return " ".join(place.owner for place in of if place.at is At.GOES_ON)


def test_a_run_that_is_alone_does_not_stand_still(clock: Clock) -> None:
    room = Places(2, 100)
    assert room.take("a", "a").shown(lambda: None)


def test_who_has_shown_an_ir_stands_still_while_somebody_waits_to_begin(clock: Clock) -> None:
    crowd = Crowd()
    room = Places(2, 100, waiting=crowd)
    runs = standing(room, "a", "b", "c")
    room.look()
    assert going_on(runs) == ""
    crowd.waits = False
    room.look()
    assert going_on(runs) == "a b"
    runs[0].leave()
    assert going_on(runs[1:]) == "b c"


@pytest.mark.parametrize(("runs", "unseen"), [(1, 1), (2, 1), (4, 3)])
def test_what_nobody_looks_at_leaves_a_place_to_whoever_comes(
    runs: int, unseen: int, clock: Clock
) -> None:
    room, taken = Places(runs, 100), list[Place]()
    while room.open_to_unseen():
        taken.append(room.take(str(len(taken)), "a check", unseen=True))
    assert len(taken) == unseen
    room.take("somebody's", "a")
    taken[0].shown(lambda: None)
    assert room.open_to_unseen()


def test_a_run_that_begins_no_more_makes_room_for_the_next(clock: Clock) -> None:
    room = Places(1, 100, waiting=Crowd())
    place = room.take("a", "a")
    assert not place.left.is_set()
    place.shown(lambda: None)
    assert place.left.is_set()
    failed = room.take("b", "b")
    failed.leave()
    assert failed.left.is_set()


def test_who_may_go_on_is_woken(clock: Clock) -> None:
    crowd, woken = Crowd(), list[str]()
    room = Places(1, 100, waiting=crowd)
    for name in "ab":
        room.take(name, name).shown(partial(woken.append, name))
    assert woken == []
    crowd.waits = False
    room.look()
    assert woken == ["a"]


def test_those_who_stand_still_take_turns_by_person(clock: Clock) -> None:
    crowd = Crowd()
    room = Places(1, 100, waiting=crowd)
    runs = []
    for owner in "aaab":
        runs += standing(room, owner)
        clock.now += 1
    crowd.waits = False
    turns = []
    for _ in range(4):
        room.look()
        (one,) = [place for place in runs if place.at is At.GOES_ON]
        turns.append(runs.index(one))
        one.leave()
    assert turns == [0, 3, 1, 2]


def test_who_has_precedence_goes_on_first_and_is_told_so(clock: Clock) -> None:
    """It is asked again at each look: who asks for a run may change while it stands still."""
    crowd, first = Crowd(), ["c"]

    def preferred(runs: Sequence[str]) -> list[str]:
        # It asks a database: nobody is to wait for that.
        assert not room._lock.locked()
        return sorted(runs, key=lambda run: run[0] not in first)

    room = Places(1, 100, waiting=crowd, precedence=preferred)
    runs = standing(room, "a", "b", "c", "d")
    assert [place.words().split(",")[0] for place in runs] == [
        "1 run before it",
        "2 runs before it",
        "next",
        "3 runs before it",
    ]
    crowd.waits = False
    room.look()
    assert going_on(runs) == "c"
    first.append("d")
    runs[2].leave()
    assert going_on(runs) == "d"


def test_however_many_begin_nobody_stands_still_for_ever(clock: Clock) -> None:
    room = Places(1, 100, waiting=Crowd())
    runs = standing(room, "a", "b")
    clock.now += PATIENCE_S + 1
    room.look()
    assert going_on(runs) == "a"


def test_who_shows_nothing_for_long_is_no_beginner_any_more(clock: Clock) -> None:
    room = Places(1, 100, waiting=Crowd())
    long, other = room.take("a", "a"), room.take("b", "b")
    clock.now += BEGINNING_S + 1
    room.look()
    assert (long.at, other.at) == (At.GOES_ON, At.BEGINS)
    assert long.left.is_set()
    assert long.shown(lambda: None)


def test_so_many_stand_still_and_then_those_go_on_before_others_begin(clock: Clock) -> None:
    room = Places(1, 2, waiting=Crowd())
    runs = standing(room, "a")
    assert room.open()
    second = room.take("b", "b")
    assert not room.open() or second.at is At.BEGINS
    second.shown(lambda: None)
    assert going_on(runs) == "a"


def test_without_memory_no_more_begin_than_may_compute(clock: Clock) -> None:
    memory = Crowd()
    room = Places(2, 100, waiting=Crowd(), memory=memory)
    standing(room, "a")
    assert room.open()
    standing(room, "b")
    assert room.open()
    memory.waits = False
    assert not room.open()


def test_who_stands_still_is_told_what_is_before(clock: Clock) -> None:
    crowd = Crowd()
    room = Places(1, 100, waiting=crowd)
    runs = standing(room, "a", "b", "c")
    late = "after those that have shown nothing yet"
    told = [place.words() for place in runs]
    assert told == [f"next, {late}", f"1 run before it, {late}", f"2 runs before it, {late}"]
    crowd.waits = False
    room.look()
    assert runs[1].words() == "next"
    clock.now += 3
    runs[0].leave()
    assert runs[2].words() == "next, about 3 s"


def test_the_wait_of_who_stands_still_counts_down(clock: Clock) -> None:
    crowd = Crowd()
    room = Places(2, 100, waiting=crowd)
    measured = room.take("m", "m")
    clock.now += 4
    measured.shown(lambda: None)
    crowd.waits = False
    room.look()
    clock.now += 10
    measured.leave()
    # One takes four seconds to its first IR, and ten after it.
    crowd.waits = True
    runs = standing(room, "a", "b", "c", "d")
    late = "after those that have shown nothing yet"
    assert runs[0].words() == f"next, {late}, about 1 s"
    assert runs[2].words() == f"2 runs before it, {late}, about 11 s"
    crowd.waits = False
    room.look()
    assert runs[2].words() == "next, about 10 s"
    assert runs[3].words() == "1 run before it, about 10 s"
    clock.now += 4
    assert runs[2].words() == "next, about 6 s"
    clock.now += 9
    assert runs[2].words() == "next"


def test_the_first_of_a_worker_are_told_by_what_runs_took_before_it(clock: Clock) -> None:
    room = Places(1, 100, usual_s=8.0)
    first = room.take("m", "m")
    first.shown(lambda: None)
    runs = standing(room, "a", "b")
    clock.now += 2
    assert [place.words() for place in runs] == ["next, about 6 s", "1 run before it, about 14 s"]


def test_a_crowd_is_waited_for_no_longer_than_patience_lasts(clock: Clock) -> None:
    room = Places(1, 100, waiting=lambda: 1000)
    first = room.take("m", "m")
    clock.now += BEGINNING_S + 1
    room.look()
    clock.now += 1
    first.leave()
    (run,) = standing(room, "a")
    clock.now += 10
    assert run.words().endswith(f"about {PATIENCE_S - 10:.0f} s")


def test_how_long_runs_begin_is_the_mean_of_the_latest(clock: Clock) -> None:
    room = Places(1, 100)
    assert room.beginning_s == 0
    for seconds in (1, 2):
        place = room.take("a", "a")
        clock.now += seconds
        place.shown(lambda: None)
        place.leave()
    assert room.beginning_s == 1.5
