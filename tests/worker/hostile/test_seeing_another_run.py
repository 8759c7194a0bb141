"""One run has nothing in common with another through which either could see or tell."""

import re
from pathlib import Path

import pytest

from tests.worker.conftest import Deed
from tests.worker.family import Running
from tests.worker.hostile.tries import EACCES, ENOENT, EPERM, EROFS, all_of, errors
from worker.sandbox.inside import linux
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service

PROJECT = Path(__file__).parents[3]


def test_each_has_terminals_of_its_own(server: ForkServer, deed: Deed) -> None:
    secret = "import os, time; m, s = os.openpty(); os.write(s, b'secret\\n'); time.sleep(20)"
    with Running(server, secret):
        look = "import os; say(sorted(os.listdir('/dev/pts')))"
        assert deed(look).said == ["['ptmx']"]
        own = "import os; m, s = os.openpty(); say(os.ttyname(s))"
        assert deed(own).said == ["/dev/pts/0"]


WATCHES = {
    **{f"inotify, {number}": f"call({number}, 0, 0, 0, 0, 0)" for number in (253, 254, 294)},
    **{f"fanotify, {number}": f"call({number}, 0, 0, 0, 0, 0)" for number in (300, 301)},
    "a lease": "call(72, 0, ctypes.c_ulong(1024), 1)",
    "a lease, with more above": "call(72, 0, ctypes.c_ulong(1 << 32 | 1024), 1)",
    "a watch on a folder": "call(72, 0, ctypes.c_ulong(1026), 1)",
    "a watch on a folder, with more above": "call(72, 0, ctypes.c_ulong(1 << 32 | 1026), 1)",
}


def test_nobody_is_told_what_others_open(deed: Deed) -> None:
    assert errors(deed, WATCHES) == all_of(WATCHES, EPERM)


MASKED = [
    *(
        "/proc/cmdline",
        "/proc/diskstats",
        "/proc/loadavg",
        "/proc/locks",
        "/proc/keys",
        "/proc/pressure/cpu",
    ),
    *("/proc/buddyinfo", "/proc/zoneinfo", "/proc/interrupts", "/proc/modules", "/proc/swaps"),
]


def test_the_machine_is_not_told_of(deed: Deed) -> None:
    read = f"{{open(path).read() for path in {MASKED} if os.path.exists(path)}}"
    assert deed(f"import os; say({read})").said == ["{''}"]


# Beside the processes, /proc/sys and what a namespace or a GPU's driver has of its own.
TOLD = """
import os
told = set()
for folder, below, files in os.walk('/proc'):
    if folder == '/proc':
        below[:] = {*below} - {'sys', 'net', 'sysvipc', 'driver', *filter(str.isdecimal, below)}
    for name in files:
        try:
            if open(f'{folder}/{name}', 'rb').read(1): told.add(f'{folder}/{name}')
        except OSError: pass
say(' '.join(told))
"""


def test_what_is_told_of_the_machine_is_documented(deed: Deed) -> None:
    documented = re.findall(r"`(/proc/\w+)`", (PROJECT / "docs" / "security.md").read_text())
    [told] = deed(TOLD).said
    assert {*told.split()} <= {*documented}


WRITES = {
    path: f"open({path!r}, 'w')"
    for path in (
        *("/proc/self/comm", "/proc/self/oom_score_adj", "/proc/self/autogroup"),
        *("/proc/self/clear_refs", "/proc/self/uid_map", "/proc/sys/vm/drop_caches"),
        *("/proc/sys/kernel/pid_max", "/proc/sys/user/max_user_namespaces"),
    )
}


def test_nothing_in_proc_can_be_written(deed: Deed) -> None:
    found = errors(deed, WRITES)
    machine = {number for path, number in found.items() if "/self/" not in path}
    assert machine <= {EACCES, EROFS}
    # Without Landlock a process writes some of its own, and gets no more by it.
    if linux.syscall(444, None, 0, 1) >= 2:
        assert set(found.values()) <= {ENOENT, EPERM, EACCES, EROFS}


def test_what_process_1_has_open_is_nobody_else_s(deed: Deed) -> None:
    attacks = {f"file {n}": f"os.open('/proc/1/fd/{n}', os.O_RDONLY)" for n in range(3, 9)}
    assert errors(deed, attacks) == all_of(attacks, EACCES)


# Of each of these the kernel has so much for a user, and all runs are one user's.
ALL_THERE_IS = {
    "files": (
        "import os, time\n"
        "for _ in range(5):\n"
        "    if os.fork() == 0:\n"
        "        held = [os.eventfd(0) for _ in range(900)]; time.sleep(60)\n"
        "time.sleep(60)",
        [],
        "files",
    ),
}


@pytest.mark.parametrize(
    ("source", "said", "stage"), ALL_THERE_IS.values(), ids=ALL_THERE_IS.keys()
)
def test_no_run_takes_all_that_there_is_for_a_user(
    deed: Deed, source: str, said: list[str], stage: str | None
) -> None:
    outcome = deed(source)
    assert (outcome.said, outcome.stage) == (said, stage)
