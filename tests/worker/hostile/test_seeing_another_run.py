"""One run has nothing in common with another through which either could see or tell."""

import pytest

from tests.worker.conftest import Deed
from tests.worker.family import Running
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service


def test_each_has_terminals_of_its_own(server: ForkServer, deed: Deed) -> None:
    secret = "import os, time; m, s = os.openpty(); os.write(s, b'secret\\n'); time.sleep(20)"
    with Running(server, secret):
        look = "import os; say(sorted(os.listdir('/dev/pts')))"
        assert deed(look).said == ["['ptmx']"]
        own = "import os; m, s = os.openpty(); say(os.ttyname(s))"
        assert deed(own).said == ["/dev/pts/0"]


@pytest.mark.parametrize("number", [253, 294, 300, 301])
def test_nobody_is_told_what_others_open(deed: Deed, number: int) -> None:
    source = (
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        f"say((c.syscall({number}, 0, 0, 0, 0, 0), ctypes.get_errno()))"
    )
    assert deed(source).said == ["(-1, 1)"]


@pytest.mark.parametrize("above", [0, 1 << 32], ids=["as an int", "with more above"])
@pytest.mark.parametrize("command", [1024, 1026], ids=["a lease", "a watch on a folder"])
def test_nobody_is_told_by_fcntl_either(deed: Deed, command: int, above: int) -> None:
    source = (
        "import ctypes, os; c = ctypes.CDLL(None, use_errno=True)\n"
        "folder = os.open('/fuselab/compiler_core', os.O_RDONLY)\n"
        f"say((c.syscall(72, folder, ctypes.c_ulong({command | above}), 1), ctypes.get_errno()))"
    )
    assert deed(source).said == ["(-1, 1)"]


@pytest.mark.parametrize(
    "path",
    [
        "/proc/cmdline",
        "/proc/diskstats",
        "/proc/locks",
        "/proc/keys",
        "/proc/pressure/cpu",
        "/proc/buddyinfo",
    ],
)
def test_the_machine_is_not_told_of(deed: Deed, path: str) -> None:
    assert deed(f"say(repr(open({path!r}).read()))").said == ["''"]


@pytest.mark.parametrize(
    ("file", "errno"), [("/proc/self/comm", 13), ("/proc/sys/vm/drop_caches", 30)]
)
def test_nothing_in_proc_can_be_written(deed: Deed, file: str, errno: int) -> None:
    source = f"try: open({file!r}, 'w')\nexcept OSError as refused: say(refused.errno)"
    assert deed(source).said in ([str(errno)], ["13"])


# Of each of these the kernel has so much for a user, and all runs are one user's.
ALL_THERE_IS = {
    "timers": (
        "import ctypes; c = ctypes.CDLL(None); at = ctypes.c_int(); made = 0\n"
        "while made < 100_000 and not c.syscall(222, 1, None, ctypes.byref(at)): made += 1\n"
        "say(made)",
        ["256"],
        None,
    ),
    "what an epoll watches": (
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
