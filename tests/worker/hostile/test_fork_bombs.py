"""Who forks without end is ended soon after there are more of its processes than there may be, and
all of them with it; a crowd that stays within its limits comes after others and is told of itself.
"""

import os
import threading
import time
from pathlib import Path

import msgspec
import pytest

from compiler_core.report import Noticed, Options
from tests.worker.conftest import LIMITS, Deed
from tests.worker.family import Running, alive, family
from worker.sandbox.limits import Limits, cpus
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session

pytestmark = pytest.mark.service

TRY = "    try: {each}\n    except OSError: pass\n"
BOMBS = {
    "forks": "import os\nwhile True:\n" + TRY.format(each="os.fork()"),
    "forks that leave their group": (
        "import os\nwhile True:\n" + TRY.format(each="os.fork() or os.setpgid(0, 0)")
    ),
    "forks whose parents end": (
        "import os\nos.fork()\nwhile True:\n"
        + TRY.format(each="(os.fork(), os.fork()) != (0, 0) and os.getpid() % 3 or os._exit(0)")
    ),
    "other programs": (
        "import subprocess\nheld = []\nwhile True:\n"
        + TRY.format(each="held.append(subprocess.Popen(['sleep', '60']))")
    ),
    "forks that hold memory": (
        "import os\nheld = []\nwhile True:\n"
        + TRY.format(each="os.fork(); held.append(bytearray(b'x') * (1 << 20))")
    ),
    "forks that map": (
        "import mmap, os\nwhile True:\n" + TRY.format(each="os.fork(); mmap.mmap(-1, 64 << 20, 2)")
    ),
}
PROCESSES = f"The run started more than its {LIMITS.processes} processes while busy with"
MEMORY = "The run used more than its 512 MiB of memory while busy with"
# Under the deadline by which each would be ended anyway; on a machine on which others work as well.
SOON_S = 7
SPIN = (
    "import os\nfor _ in range({number}):\n    if os.fork() == 0: break\n{then}\nwhile True: pass"
)


@pytest.mark.parametrize("source", BOMBS.values(), ids=BOMBS.keys())
def test_a_fork_bomb_is_ended_for_what_it_is(deed: Deed, server: ForkServer, source: str) -> None:
    before, began = family(server), time.monotonic()
    outcome = deed(source)
    assert time.monotonic() - began < SOON_S
    assert outcome.message.startswith((PROCESSES, MEMORY)), outcome.message
    left = family(server) - before
    # The runner that waits for the next run.
    assert len([pid for pid in left if alive(pid)]) <= 3


def test_of_a_bomb_that_is_cancelled_nobody_is_left(server: ForkServer, deed: Deed) -> None:
    spin = SPIN.format(number=LIMITS.processes - 4, then="if os.getpid() == 2: say('all')")
    before, said, cancelled = family(server), threading.Event(), 0.0
    patient = msgspec.structs.replace(LIMITS, deadline_s=60)
    session = Session(server, Request(spin, Options()), patient, cancelled=said.is_set)
    for batch in session.batches():
        if any(isinstance(event, Noticed) for event in batch):
            spinning = family(server) - before
            said.set()
            cancelled = time.monotonic()
    assert session.cancelled and len(spinning) >= LIMITS.processes - 4
    assert not any(map(alive, spinning))
    assert time.monotonic() - cancelled < SOON_S


def test_each_run_is_a_session_that_yields(server: ForkServer, deed: Deed) -> None:
    """Where Linux divides the processors among sessions, each has as much as another."""
    who = "import os; say(os.getsid(0))"
    with Running(server, "import time; time.sleep(60)") as one, Running(server, who) as _:
        mine = {os.getsid(pid) for pid in one if alive(pid)}
        assert len(mine) == 1 and mine != {os.getsid(server.pid or 0)}
        if not Path("/proc/self/autogroup").exists():
            return
        wanted = f"nice {LIMITS.niceness}"
        assert _comes_to_be(wanted, one), _session(one)


def test_the_session_of_a_crowd_yields_more(server: ForkServer, deed: Deed) -> None:
    if not Path("/proc/self/autogroup").exists():
        pytest.skip("this kernel does not divide the processors among sessions")
    limits = msgspec.structs.replace(LIMITS, deadline_s=8)
    source = (
        "import os, time\nfor _ in range({number}):\n    if os.fork() == 0:\n"
        "        while True: pass\n"
        "own = lambda: open('/proc/self/autogroup').read()\n"
        "end = time.monotonic() + 6\n"
        "while 'nice 10' not in own() and time.monotonic() < end: time.sleep(0.02)\nsay(own())"
    )
    [said] = deed(source.format(number=4 * cpus() + 8), limits=limits).said
    assert "nice 10" in said


def test_a_crowd_at_its_deadline_is_told_of_itself_and_not_of_others(deed: Deed) -> None:
    limits: Limits = msgspec.structs.replace(LIMITS, deadline_s=4)
    outcome = deed(SPIN.format(number=6 * cpus(), then=""), limits=limits)
    assert outcome.stage == "deadline"
    assert " of its own threads computed at once" in outcome.message
    assert "others had" not in outcome.message
    assert "fewer" in outcome.report.error.remedy


def _session(processes: set[int]) -> set[str]:
    found = set[str]()
    for pid in filter(alive, processes):
        found.add(Path(f"/proc/{pid}/autogroup").read_text().strip())
    return found


def _comes_to_be(wanted: str, processes: set[int]) -> bool:
    end = time.monotonic() + 3
    while time.monotonic() < end:
        if all(wanted in each for each in _session(processes)):
            return True
        time.sleep(0.05)
    return False
