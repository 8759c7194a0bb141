"""Nothing outlives its end: process 1 cannot be starved, stopped or ended by whom it watches, and a
slot is free when all of a run is dead."""

import os
import threading
import time

import msgspec
import pytest

from compiler_core.report import Noticed, Options
from tests.worker.conftest import LIMITS, Deed, perform
from tests.worker.family import alive, family
from tests.worker.hostile.tries import EPERM, all_of, errors
from worker.sandbox import crowd
from worker.sandbox.limits import cpus
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session

pytestmark = pytest.mark.service

# Each tries to have process 1 wait for its turn for ever.
CALLS = {
    "sched_setscheduler": "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
    "sched_setparam": "os.sched_setparam(1, os.sched_param(0))",
    "sched_setaffinity": "os.sched_setaffinity(1, {0})",
    "setpriority": "os.setpriority(os.PRIO_PROCESS, 1, 19)",
    "setpriority of all of a user's": "os.setpriority(os.PRIO_USER, 0, 19)",
    "setpriority of a group": "os.setpriority(os.PRIO_PGRP, 1, 19)",
    "prlimit": "resource.prlimit(1, resource.RLIMIT_NOFILE, (3, 3))",
    "ioprio_set": "call(251, 1, 1, 3 << 13)",
    "sched_setattr": "call(314, 1, (ctypes.c_char * 56)(56), 0)",
}
TRY = """
import ctypes, os, resource, signal
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments):
        raise OSError(ctypes.get_errno(), "refused")
"""


def test_a_call_that_names_process_1_is_refused(deed: Deed) -> None:
    assert errors(deed, CALLS) == all_of(CALLS, EPERM)


def test_a_signal_to_its_group_reaches_nobody_else(deed: Deed) -> None:
    """The kernel sends it to all of a group, in whichever namespace they are."""
    outcome = deed("import os, signal; say(os.getpgrp()); os.kill(0, signal.SIGKILL)")
    assert outcome.said == ["1"]
    assert "a kill by itself" in outcome.message


def test_no_run_divides_itself_into_sessions(deed: Deed) -> None:
    """Where Linux divides the processors among sessions, a hundred have a hundred times what the
    web has, however low their priority."""
    assert errors(deed, {"a session": "os.setsid()"}) == {"a session": EPERM}


def test_the_same_calls_are_there_for_oneself(deed: Deed) -> None:
    own = (
        "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))\n"
        "os.sched_setaffinity(0, os.sched_getaffinity(0))\n"
        "os.setpriority(os.PRIO_PROCESS, 0, 19)\n"
        "resource.prlimit(0, resource.RLIMIT_NOFILE)\n"
        "say(os.getpriority(os.PRIO_PROCESS, 0))"
    )
    assert deed(TRY + own).said == ["19"]


def test_no_signal_reaches_process_1(deed: Deed) -> None:
    source = "import os\nfor number in range(1, 65): os.kill(1, number)\nsay('still here')"
    outcome = deed(source)
    assert (outcome.said, outcome.message) == (["still here"], "")


def test_a_run_yields_to_the_service(deed: Deed) -> None:
    niceness = "import os; say(os.getpriority(os.PRIO_PROCESS, 0))"
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert deed(niceness).said == [str(min(19, own + LIMITS.niceness))]
    # Where Linux divides the processors among sessions, that of a run yields.
    session = "/proc/self/autogroup"
    if os.path.exists(session):
        [told] = deed(f"say(open({session!r}).read().split()[-1])").said
        assert told == str(LIMITS.niceness)
    raise_it = "import os\ntry: os.nice(-1)\nexcept OSError as refused: say(refused.errno)"
    assert deed(raise_it).said in (["1"], ["13"])


def test_of_a_crowd_that_computes_all_come_after_others(
    server: ForkServer, deed: Deed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever they start, too."""
    monkeypatch.setattr(crowd, "_LOOK_S", 0.05)
    source = (
        "import os, time\n"
        "own = lambda: os.getpriority(os.PRIO_PROCESS, 0)\n"
        "before = own()\n"
        "for n in range({number}):\n"
        "    if os.fork() == 0:\n"
        "        while True: pass\n"
        "end = time.monotonic() + {seconds}\n"
        "while own() == before and time.monotonic() < end: time.sleep(0.01)\n"
        "say((before, own()))"
    )
    niceness = min(19, os.getpriority(os.PRIO_PROCESS, 0) + LIMITS.niceness)
    many = source.format(number=4 * cpus() + 8, seconds=9)
    assert deed(many).said == [str((niceness, 19))]
    few = source.format(number=cpus(), seconds=0.5)
    assert deed(few).said == [str((niceness, niceness))]


def test_spinning_forks_that_starve_whom_they_can_are_dead_when_the_run_is_over(
    server: ForkServer, deed: Deed
) -> None:
    source = TRY + (
        "for attack in " + repr([*CALLS.values()]) + ":\n"
        "    try: exec(attack)\n"
        "    except OSError: pass\n"
        "for n in range(16):\n"
        "    if os.fork() == 0:\n"
        "        os.setpgid(0, 0)\n"
        "        while True: pass\n"
        "say('they spin')\n"
        "while True: pass"
    )
    # Cancelled once they spin, however long it takes to say so beside so many.
    said = threading.Event()
    before, spinning = family(server), set[int]()
    session = Session(server, Request(source, Options()), LIMITS, cancelled=said.is_set)
    for batch in session.batches():
        if any(isinstance(event, Noticed) for event in batch):
            spinning = family(server) - before
            said.set()
    assert session.cancelled and len(spinning) > 16
    assert not any(map(alive, spinning))
    assert deed("say('next')").said == ["next"]


# What is there when it is looked is gone when it is read: the run reads it itself, of whose user
# the worker may be; or it is no part of the stream. And what it is told it does not read.
HOLDS_UP = {
    "reads what it wrote": (
        "import os, time\n"
        "own = os.open('/proc/self/fd/1', os.O_RDONLY | os.O_NONBLOCK)\n"
        "if os.fork() == 0:\n"
        "    while True:\n"
        "        try: os.read(own, 65536)\n"
        "        except BlockingIOError: pass\n"
        "for _ in range(250): os.write(1, b'x'); time.sleep(0.003)\n"
        "time.sleep(15)"
    ),
    "sends what is out of band": (
        "import socket, time; stream.send(b'x', socket.MSG_OOB); time.sleep(15)"
    ),
    "reads nothing": (
        "import time\n"
        "ask = b'L' + (3).to_bytes(4, 'big') + b'cpu' + b'R' + bytes(4)\n"
        "stream.sendall(ask * 3000); time.sleep(15)"
    ),
}


@pytest.mark.parametrize("source", HOLDS_UP.values(), ids=HOLDS_UP.keys())
def test_nobody_holds_up_who_ends_them(unconfined: ForkServer, source: str) -> None:
    began = time.monotonic()
    outcome = perform(unconfined, source, limits=msgspec.structs.replace(LIMITS, deadline_s=1))
    assert outcome.stage == "deadline"
    assert time.monotonic() - began < 8
