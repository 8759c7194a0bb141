"""Services live together, come again when they die, and leave nothing behind."""

import asyncio
import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress

import psutil
import pytest

from launcher import supervisor
from launcher.supervisor import Ended, NeverReady, Problem, Service, Supervisor

pytestmark = pytest.mark.service

SLEEP = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
# A grandchild in a session of its own, whose parent is gone: what a launcher easily forgets.
ORPHAN = (
    "import subprocess, sys, time;"
    "subprocess.Popen(['sleep', '61'], start_new_session=True, stdout=subprocess.DEVNULL);"
    "print('up', flush=True); time.sleep(60)"
)

Say = Callable[[str, str], None]


def python(name: str, text: str) -> Service:
    return Service(name, (sys.executable, "-c", text))


def run(*services: Service, on_line: Callable[[Supervisor, str, str], None]) -> Problem | None:
    before = family()

    async def scene() -> Problem | None:
        supervised = Supervisor(
            dict(os.environ), lambda name, text: on_line(supervised, name, text)
        )
        return await asyncio.wait_for(supervised.run(services), 30)

    problem = asyncio.run(scene())
    assert not left(before), "a process is left"
    return problem


def family() -> set[psutil.Process]:
    """This process's children and theirs; other tests' servers are among them."""
    return set(psutil.Process().children(recursive=True))


def left(before: set[psutil.Process]) -> list[psutil.Process]:
    """Those that are new, but for what other tests' servers start meanwhile."""
    found = []
    for process in family() - before:
        with suppress(psutil.NoSuchProcess):
            if not before.intersection(process.parents()):
                found.append(process)
    return found


def stop_when_up(supervised: Supervisor, _name: str, text: str) -> None:
    if text == "up":
        supervised.stop()


def test_stop_ends_all_without_a_problem() -> None:
    assert run(python("one", SLEEP), on_line=stop_when_up) is None


def test_the_first_that_dies_is_named_and_ends_the_others() -> None:
    ended = run(python("good", SLEEP), python("bad", "exit(3)"), on_line=lambda *_: None)
    assert ended == Ended("bad", 3)
    assert str(ended) == "bad exited 3; stopping the others."


def test_one_that_dies_later_is_said_to_and_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "PAUSES", (0.01, 0.02))
    said: list[str] = []

    def kill_three_times(supervised: Supervisor, name: str, text: str) -> None:
        said.append(f"{name} {text}")
        if text == "up" and said.count("one up") < 4:
            asyncio.get_running_loop().call_later(0.05, supervised._running["one"].kill)
        elif text == "up":
            supervised.stop()

    assert run(python("one", SLEEP), on_line=kill_three_times) is None
    killed = "one was killed by signal 9; it is started again in"
    assert said == [
        *("one up", f"{killed} 0.01 s", "one up", f"{killed} 0.02 s"),
        *("one up", f"{killed} 0.02 s", "one up"),
    ]


def test_one_that_exits_again_and_again_is_told_so_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "PAUSES", (0.01,))
    monkeypatch.setattr(supervisor, "BEGINNING_SECONDS", 0.0)
    said: list[str] = []

    def note(supervised: Supervisor, name: str, text: str) -> None:
        said.append(text)
        if said.count("exited 3; it is started again in 0.01 s") == 2:
            supervised.stop()

    assert run(python("good", SLEEP), python("bad", "exit(3)"), on_line=note) is None
    assert said.count("up") == 1


def test_a_process_that_ignores_sigterm_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "GRACE_SECONDS", 0.2)
    assert run(python("stubborn", STUBBORN), on_line=stop_when_up) is None


def test_an_orphan_is_killed_too() -> None:
    assert run(python("parent", ORPHAN), on_line=stop_when_up) is None


def test_a_death_is_noticed_although_an_orphan_holds_the_output() -> None:
    dying = python("parent", ORPHAN.replace("time.sleep(60)", "exit(4)"))
    assert run(dying, on_line=lambda *_: None) == Ended("parent", 4)


def test_services_that_live_wake_nobody() -> None:
    woken: list[int] = []

    def count() -> None:
        woken.append(resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw)

    def count_a_while(supervised: Supervisor, name: str, _text: str) -> None:
        if name == "last":
            loop = asyncio.get_running_loop()
            for seconds, call in ((0.1, count), (0.7, count), (0.7, supervised.stop)):
                loop.call_later(seconds, call)

    run(python("first", SLEEP), python("last", SLEEP), on_line=count_a_while)
    assert woken[1] - woken[0] < 8


def test_a_service_waits_until_the_one_before_is_ready() -> None:
    order: list[str] = []

    async def ready() -> None:
        await asyncio.sleep(0.3)
        order.append("first is ready")

    first = Service("first", (sys.executable, "-c", "import time; time.sleep(60)"), ready=ready)

    def note(supervised: Supervisor, name: str, _text: str) -> None:
        order.append(f"{name} speaks")
        supervised.stop()

    run(first, python("second", SLEEP), on_line=note)
    assert order == ["first is ready", "second speaks"]


def test_a_service_that_is_never_ready_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "READY_SECONDS", 0.3)
    service = Service("slow", (sys.executable, "-c", SLEEP), ready=lambda: asyncio.sleep(60))
    assert run(service, on_line=lambda *_: None) == NeverReady("slow")


def test_standard_input_reaches_the_service() -> None:
    heard: list[str] = []
    service = Service("echo", (sys.executable, "-c", "print(input())"), b"configured\n")
    assert run(service, on_line=lambda _s, _n, text: heard.append(text)) == Ended("echo", 0)
    assert heard == ["configured"]


def test_a_line_without_end_is_cut_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "MAX_LINE_BYTES", 1000)
    heard: list[str] = []
    run(python("chatty", "print('x' * 5000)"), on_line=lambda _s, _n, text: heard.append(text))
    assert sum(map(len, heard)) == 5000
    assert len(heard) > 1
