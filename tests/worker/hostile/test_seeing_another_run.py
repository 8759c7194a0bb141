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


@pytest.mark.parametrize("path", ["/proc/cmdline", "/proc/diskstats", "/proc/locks", "/proc/keys"])
def test_the_machine_is_not_told_of(deed: Deed, path: str) -> None:
    assert deed(f"say(repr(open({path!r}).read()))").said == ["''"]


@pytest.mark.parametrize(
    ("file", "errno"), [("/proc/self/comm", 13), ("/proc/sys/vm/drop_caches", 30)]
)
def test_nothing_in_proc_can_be_written(deed: Deed, file: str, errno: int) -> None:
    source = f"try: open({file!r}, 'w')\nexcept OSError as refused: say(refused.errno)"
    assert deed(source).said in ([str(errno)], ["13"])
