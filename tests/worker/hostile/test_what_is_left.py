"""What a run leaves, wherever it can write, is nobody's: not the next run's, nor the worker's."""

import os
import time

import pytest

from tests.worker.conftest import Deed
from tests.worker.hostile.tries import EROFS, all_of, errors
from worker.sandbox import protocol

pytestmark = pytest.mark.service

# Each leaves something, and says what the next run would see of it.
LEFT = {
    "a kernel in the folder of Inductor's": (
        "import os; at = os.environ['TORCHINDUCTOR_CACHE_DIR']; os.makedirs(at, exist_ok=True)\n"
        "open(f'{at}/kernel.py', 'w').write('evil'); os.symlink('/', f'{at}/out')",
        "import os; say(os.path.exists(os.environ['TORCHINDUCTOR_CACHE_DIR']))",
        "False",
    ),
    "a module before all others": (
        "import os; os.makedirs('/tmp/json'); open('/tmp/json/__init__.py', 'w').write('1/0')",
        "import os, sys; say(os.listdir('/tmp') or os.path.exists('/tmp/json'))",
        "False",
    ),
    "a pickle in shared memory": (
        "open('/dev/shm/kept.pkl', 'wb').write(b'cos\\nsystem\\n(S\"id\"\\ntR.')",
        "import os; say(os.listdir('/dev/shm'))",
        "[]",
    ),
    "a name that everybody looks up": (
        "import builtins, os; builtins.repr = 'evil'; os.environ['LD_PRELOAD'] = '/tmp/a.so'",
        "import os; say((repr('abc'), os.environ.get('LD_PRELOAD')))",
        "(\"'abc'\", None)",
    ),
    "a socket that listens by a name of no file": (
        "import socket; one = socket.socket(1); one.bind('\\0fuselab'); one.listen()\n"
        "import time; time.sleep(0.1)",
        "import socket\n"
        "try: socket.socket(1).connect('\\0fuselab'); say('heard')\n"
        "except ConnectionRefusedError: say('nobody')",
        "nobody",
    ),
    "another text of a library that all have in memory": (
        "import ctypes, mmap\n"
        "libc = ctypes.CDLL(None); at = ctypes.cast(libc.getppid, ctypes.c_void_p).value\n"
        "page = at & -4096\n"
        "assert libc.mprotect(ctypes.c_void_p(page), 8192, 7) == 0\n"
        "ctypes.memmove(at, b'\\xb8\\x2a\\0\\0\\0\\xc3', 6); assert libc.getppid() == 42",
        "import ctypes; say(ctypes.CDLL(None).getppid())",
        "1",
    ),
}


@pytest.mark.parametrize(("leave", "look", "seen"), LEFT.values(), ids=LEFT.keys())
def test_the_next_run_finds_nothing_of_it(deed: Deed, leave: str, look: str, seen: str) -> None:
    assert deed(leave).message == ""
    assert deed(look).said == [seen]


WARM = {
    "a file": f"open('{protocol.WARM}/x', 'w')",
    "a link": f"os.symlink('/tmp', '{protocol.WARM}/x')",
    "by way of a link": f"os.symlink('{protocol.WARM}', '/tmp/warm'); open('/tmp/warm/x', 'w')",
    "another name of a folder": f"os.rename('{protocol.WARM}', '/tmp/warm')",
    "another time of a file": f"os.utime('{protocol.WARM}')",
}


def test_what_the_server_made_for_all_is_changed_by_nobody(deed: Deed) -> None:
    found = errors(deed, WARM)
    assert found["another name of a folder"] != 0
    assert found | {"another name of a folder": EROFS} == all_of(WARM, EROFS)


def test_files_that_are_sent_to_the_worker_are_not_kept(deed: Deed) -> None:
    before = len(os.listdir("/proc/self/fd"))
    source = (
        "import os, socket\n"
        "frame = b'L' + (3).to_bytes(4, 'big') + b'cpu'\n"
        "for byte in frame: socket.send_fds(stream, [bytes([byte])], [0] * 8)\n"
        "say('sent')"
    )
    deed(source)
    assert len(os.listdir("/proc/self/fd")) <= before + 1


HALF_CLOSED = {
    "who says no more": "stream.shutdown(1)",
    "who hears no more": "stream.shutdown(0)",
    "both": "stream.shutdown(2)",
}


@pytest.mark.parametrize("how", HALF_CLOSED.values(), ids=HALF_CLOSED.keys())
def test_half_a_stream_holds_no_place_beyond_the_deadline(deed: Deed, how: str) -> None:
    began = time.monotonic()
    outcome = deed(f"import time; {how}; time.sleep(60)")
    assert outcome.message != ""
    assert time.monotonic() - began < 20


FLOODS = {
    "names that there are not": (
        "import os, time\n"
        "end = time.monotonic() + 3\n"
        "while time.monotonic() < end: os.path.exists(f'/usr/{time.monotonic_ns():0250}')"
    ),
    "folders in folders": ("import os\nfor _ in range(60_000): os.mkdir('d'); os.chdir('d')"),
    "barriers of memory for all processors": (
        "import ctypes, threading, time\n"
        "libc = ctypes.CDLL(None); end = time.monotonic() + 3\n"
        "def storm():\n"
        "    while time.monotonic() < end: libc.syscall(324, 1, 0, 0)\n"
        "all = [threading.Thread(target=storm) for _ in range(32)]\n"
        "[each.start() for each in all]; [each.join() for each in all]"
    ),
    "alarms": (
        "import signal, time\n"
        "signal.signal(signal.SIGALRM, lambda *_: None)\n"
        "signal.setitimer(signal.ITIMER_REAL, 1e-6, 1e-6); end = time.monotonic() + 3\n"
        "while time.monotonic() < end: pass"
    ),
}


@pytest.mark.parametrize("source", FLOODS.values(), ids=FLOODS.keys())
def test_a_flood_is_over_with_its_run(deed: Deed, source: str) -> None:
    """How the next run and a neighbour do is looked at after each (conftest.py)."""
    assert deed(source).stage in (None, "deadline")
