"""A run stands still between its first IR and the rest, as long as there is no place for it."""

import os
import threading
from collections.abc import Callable

import msgspec
import psutil
import pytest

from compiler_core.report import StageBegan, StageDone
from tests.worker.conftest import LIMITS, Outcome, perform
from worker.descriptors import STANDING
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service

# A thread that the snippet left computes on, unless it is stopped.
RESTLESS = (
    "import threading, time\n"
    "count = 0\n"
    "def spin():\n"
    " global count\n"
    " while True: count += 1; time.sleep(0.01)\n"
    "threading.Thread(target=spin, daemon=True).start()\n"
)


class Door:
    """A place that is free when the door is opened."""

    def __init__(self, open_after_s: float = 0.0) -> None:
        self._opens = threading.Event()
        self._after_s = open_after_s
        self.asked = 0

    def shown(self, wake: Callable[[], None]) -> bool:
        def open_() -> None:
            self._opens.set()
            wake()

        self.asked += 1
        if self._after_s:
            threading.Timer(self._after_s, open_).start()
        return False

    def may_go_on(self) -> bool:
        return self._opens.is_set()

    def words(self) -> str:
        return "2 runs before it"


def stages_begun(outcome: Outcome) -> list[str]:
    return [f"{e.name}: {e.detail}" for e in outcome.events if isinstance(e, StageBegan)]


def test_the_first_ir_is_told_and_then_every_process_stands_still(server: ForkServer) -> None:
    door = Door(open_after_s=0.7)
    source = RESTLESS + "before = count\nshow()\nsay(count - before)"
    outcome = perform(server, source, place=door)
    assert any(isinstance(event, StageDone) for event in outcome.events)
    assert int(outcome.said[0]) < 35
    assert stages_begun(outcome)[-2:] == ["capture: ", "its turn: 2 runs before it"]
    assert door.asked == 1


def test_only_the_first_ir_is_followed_by_a_pause(server: ForkServer) -> None:
    door = Door(open_after_s=0.05)
    again = "emit(StageDone(0, Stage('p', 'ok', 1.0, [Artifact('ir', 'ir', 'text', 'graph')])))"
    source = f"from compiler_core.report import *; show(); {again}; say('well')"
    assert perform(server, source, place=door).said == ["well"]
    assert door.asked == 1


def test_a_run_that_stands_still_holds_no_more_files_than_are_counted_for_it(
    server: ForkServer,
) -> None:
    held = []

    class Counting(Door):
        def words(self) -> str:
            held.append(len(os.listdir("/proc/self/fd")))
            return super().words()

    before = len(os.listdir("/proc/self/fd"))
    perform(server, "show()", place=Counting(open_after_s=0.05))
    assert 0 < held[0] - before <= STANDING


def test_standing_still_costs_no_time_of_the_run_however_long(server: ForkServer) -> None:
    limits = msgspec.structs.replace(LIMITS, deadline_s=0.5)
    outcome = perform(server, "show(); say('well')", place=Door(open_after_s=1.6), limits=limits)
    assert (outcome.message, outcome.said) == ("", ["well"])


def test_a_run_that_stands_still_can_be_cancelled(server: ForkServer) -> None:
    asked = threading.Event()
    threading.Timer(0.3, asked.set).start()
    outcome = perform(server, "show(); say('never')", place=Door(), cancelled=asked.is_set)
    assert outcome.cancelled
    assert outcome.said == []


def test_a_run_that_dies_while_it_stands_still_is_over(server: ForkServer) -> None:
    class Deadly(Door):
        def words(self) -> str:
            threading.Timer(0.2, self.kill).start()
            return super().words()

        def kill(self) -> None:
            family = psutil.Process(server.pid).children(recursive=True)
            for each in family:
                if each.status() == psutil.STATUS_STOPPED:
                    each.kill()

    outcome = perform(server, "show(); say('never')", place=Deadly())
    assert outcome.message == (
        "The run's process was ended by SIGKILL (a kill by itself, or by whoever runs the machine) "
        "while busy with its turn of f."
    )


def test_a_run_that_shows_no_ir_waits_for_nobody(server: ForkServer) -> None:
    door = Door()
    assert perform(server, "say('well')", place=door).said == ["well"]
    assert door.asked == 0


def test_who_asks_without_having_shown_anything_is_stopped_all_the_same(
    server: ForkServer,
) -> None:
    source = "stream.sendall(b'P' + bytes(4)); import time; time.sleep(0.1); say('went on')"
    outcome = perform(server, source, place=Door(open_after_s=0.4))
    assert outcome.said == ["went on"]
