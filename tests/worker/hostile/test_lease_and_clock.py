"""A measurement is alone, and nobody keeps others from theirs."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

import msgspec
import pytest

from compiler_core.report import StageBegan
from tests.worker.conftest import LIMITS, OtherRuns, Outcome, perform
from tests.worker.family import family
from worker.sandbox.server import ForkServer
from worker.sandbox.turn import Said, Turn

pytestmark = pytest.mark.service


class Leases:
    """One lease that runs of this process take in turns."""

    def __init__(self) -> None:
        self._lock, self.told = threading.Lock(), ""

    def try_acquire(self) -> bool:
        return self._lock.acquire(blocking=False)

    def words(self) -> str:
        return self.told

    def renew(self) -> None:
        pass

    def rest(self) -> bool:
        return False

    def release(self) -> None:
        self._lock.release()

    def held(self) -> bool:
        return self._lock.locked()


def together(server: ForkServer, leases: Leases, *sources: str, **limits: float) -> list[Outcome]:
    """The outcomes of runs that begin at once."""
    done: dict[int, Outcome] = {}
    own = msgspec.structs.replace(LIMITS, **limits)

    def one(number: int, source: str) -> None:
        done[number] = perform(
            server,
            source,
            limits=own,
            lease=lambda _: leases,
            others=OtherRuns(leases.held, "after another"),
        )

    threads = [threading.Thread(target=one, args=each) for each in enumerate(sources)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [done[number] for number in range(len(sources))]


# Children spin as well; the longest time in which this process did not get its turn is told.
SPIN = (
    "import os, time\n"
    "children = [os.fork() for _ in range(3)]\n"
    "end = last = time.monotonic(); end += {seconds}; longest = 0\n"
    "while last < end: now = time.monotonic(); longest, last = max(longest, now - last), now\n"
    "if 0 not in children: say(longest)"
)
MEASURE = "import time; time.sleep(0.5)\nwith lease('cpu'): time.sleep(1.0)\nsay('measured')"


def test_others_stand_still_while_one_measures_and_go_on_afterwards(server: ForkServer) -> None:
    measured, spun = together(server, Leases(), MEASURE, SPIN.format(seconds=2))
    assert measured.said == ["measured"]
    assert float(spun.said[0]) > 0.8
    assert spun.message == ""


def test_who_goes_on_while_others_measure_is_ended(server: ForkServer) -> None:
    """Whatever it is that lets its processes go on: here whoever runs the machine."""
    over, others = threading.Event(), family(server)

    def poke() -> None:
        while not over.wait(0.02):
            for process in family(server) - others:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)

    threading.Thread(target=poke).start()
    outcome = perform(server, SPIN.format(seconds=30), others=OtherRuns())
    over.set()
    assert outcome.stage == "sandbox"
    assert outcome.message.startswith(
        "The run was stopped because its processes went on while they had to stand still"
    )


def test_standing_still_costs_no_time_of_the_run(server: ForkServer) -> None:
    measure = "import time; time.sleep(0.3)\nwith lease('cpu'): time.sleep(2.5)\nsay('measured')"
    begin = "from compiler_core.report import *\nemit(ProgramFound(0, 'f', 'torch', Entry(), []))\n"
    begin += "emit(StageBegan(0, 'build'))\n"
    counted = f"{begin}import time\nfor _ in range(20): time.sleep(0.1)\nsay('well')"
    measured, other = together(server, Leases(), measure, counted, deadline_s=3.8)
    assert (measured.said, other.said) == (["measured"], ["well"])
    # Meanwhile it says what it waits for, and afterwards what it is at.
    begun = [(each.name, each.detail) for each in other.events if isinstance(each, StageBegan)]
    assert begun == [("build", ""), ("its turn", "after another"), ("build", "")]


def test_who_keeps_the_lease_loses_it_and_the_report_says_so(server: ForkServer) -> None:
    keeps = "import time\nwith lease('cpu'): say('has it'); time.sleep(2.5)"
    waits = "import time; time.sleep(0.3)\nwith lease('cpu'): say('has it')"
    kept, waited = together(server, Leases(), keeps, waits, lease_s=0.5, deadline_s=5)
    assert waited.said == ["has it"]
    assert kept.said[0] == "has it"
    assert kept.said[1].startswith("The run measured for longer than 0.5 s; from then on others")


class Clock:
    now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("worker.sandbox.turn.time", made)
    return made


def turn(leases: Leases, others: Callable[[], bool] = lambda: False) -> Turn:
    return Turn(lambda _: leases, OtherRuns(others, "to go on"), 20)


def test_who_asks_again_and_again_lets_others_try_first(clock: Clock) -> None:
    leases = Leases()
    greedy, other = turn(leases), turn(leases)
    greedy.ask("cpu")
    assert greedy.look() is Said.GRANTED
    other.ask("cpu")
    assert other.look() is Said.NOTHING
    greedy.give_back()
    greedy.ask("cpu")
    assert greedy.look() is Said.NOTHING
    clock.now += 0.02
    assert other.look() is Said.GRANTED


def test_each_wait_is_told_of_as_soon_as_there_is_something_to_tell(clock: Clock) -> None:
    leases = Leases()
    run = turn(leases)
    for _ in range(2):
        assert leases.try_acquire()
        run.ask("cpu")
        assert run.look() is Said.NOTHING and run.words() == ""
        clock.now += 0.1
        leases.told = "after another"
        assert run.words() == "after another"
        assert run.words() == ""
        leases.release()
        assert run.look() is Said.GRANTED
        run.give_back()
        clock.now += 0.2
        leases.told = ""


def test_who_is_stopped_before_the_rest_does_not_keep_the_lease(clock: Clock) -> None:
    """Else it would go on beside whoever measures by then."""
    leases = Leases()
    run = turn(leases, leases.held)
    run.ask("cpu")
    assert run.look() is Said.GRANTED
    run.stand_still()
    assert leases.try_acquire()
    clock.now += 1
    assert run.look() is Said.NOTHING and run.stands_still


def test_who_stands_still_for_a_moment_is_told_nothing(clock: Clock) -> None:
    leases = Leases()
    run = turn(leases, leases.held)
    assert leases.try_acquire() and run.look() is Said.STAND_STILL
    clock.now += 0.9
    assert run.words() == ""
    clock.now += 0.2
    assert run.words() == "to go on"
    assert run.words() == ""


def test_who_overstayed_has_no_lease_again_and_keeps_standing_still_for_others(
    clock: Clock,
) -> None:
    leases = Leases()
    run = turn(leases, leases.held)
    run.ask("cpu")
    assert run.look() is Said.GRANTED
    clock.now += 20.1
    assert run.look() is Said.OVER
    run.ask("cpu")
    clock.now += 1
    assert run.look() is Said.GRANTED
    # It rests from nothing, and is not left waiting for that.
    run.rest()
    assert run.look() is Said.GRANTED
    assert leases.try_acquire()
    clock.now += 1
    assert run.look() is Said.STAND_STILL


class Restful(Leases):
    """Others go first whenever it rests."""

    def rest(self) -> bool:
        self.release()
        return True


def test_what_a_run_rests_is_no_time_that_it_keeps_others_from_measuring_and_what_it_holds_is(
    clock: Clock,
) -> None:
    leases = Restful()
    run = turn(leases, leases.held)
    run.ask("cpu")
    assert run.look() is Said.GRANTED
    for _ in range(2):
        clock.now += 9
        run.rest()
        assert run.look() is Said.NOTHING and not leases.held()
        clock.now += 9
        assert run.look() is Said.GRANTED and leases.held()
    clock.now += 2.1
    assert run.look() is Said.OVER


def test_who_rests_while_it_waits_to_measure_waits(clock: Clock) -> None:
    leases = Leases()
    run = turn(leases, leases.held)
    assert leases.try_acquire()
    run.ask("cpu")
    run.rest()
    assert run.look() is Said.NOTHING
    leases.release()
    clock.now += 1
    assert run.look() is Said.GRANTED
