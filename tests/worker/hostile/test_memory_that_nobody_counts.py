"""Memory is counted whatever form it has, and an honest fork is not counted many times."""

import pytest

from tests.worker.conftest import Deed
from tests.worker.sandbox.test_limits import changed
from worker.sandbox.limits import MIB

pytestmark = pytest.mark.service

SMALL = changed(memory_bytes=96 * MIB, tmp_bytes=256 * MIB, file_bytes=256 * MIB)

REFUSED = {
    "shared anonymous memory": "mmap.mmap(-1, 1 << 20)",
    "shared anonymous memory, checked": "mmap.mmap(-1, 1 << 20, flags=3 | mmap.MAP_ANONYMOUS)",
    "a file without a name": "os.memfd_create('held by no process')",
    "a shared mapping of nothing": "open('/dev/zero', 'r+b')",
    "System V shared memory": "call(29, 0, 1 << 20, 0o1777)",
    "System V messages": "call(68, 0, 0o1777)",
    "System V semaphores": "call(64, 0, 8, 0o1777)",
    "POSIX messages": "call(240, b'q', 0o102, 0o600, None)",
    "secret memory": "call(447, 0)",
    "rings": "call(425, 8, (ctypes.c_char * 256)())",
    "pages given to a pipe": "call(278, os.pipe()[1], None, 0, 0)",
    "all the pages that pipes may have": "fcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 20)",
}
TRY = """
import ctypes, fcntl, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""


@pytest.mark.parametrize("expression", REFUSED.values(), ids=REFUSED.keys())
def test_memory_that_is_no_process_s_is_refused(deed: Deed, expression: str) -> None:
    source = TRY + f"try: {expression}\nexcept OSError as refused: say(refused.errno)"
    assert deed(source).said in (["1"], ["13"])


HELD = {
    "files in memory": (
        "import os, time\n"
        "held = os.open('/tmp/f', os.O_CREAT | os.O_RDWR); os.unlink('/tmp/f')\n"
        "for _ in range(20): os.write(held, bytes(8 << 20))\n"
    ),
    "files in shared memory": (
        "held = open('/dev/shm/f', 'wb')\nfor _ in range(20): held.write(bytes(8 << 20))\n"
    ),
    "what waits in sockets": (
        "import socket\n"
        "held = [socket.socketpair() for _ in range(250)]\n"
        "for one, _ in held: one.setblocking(False)\n"
        "for one, _ in held:\n"
        "    try:\n"
        "        while True: one.send(bytes(65536))\n"
        "    except BlockingIOError: pass\n"
    ),
    "page tables": (
        "import mmap\n"
        "held = mmap.mmap(-1, 100 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000,"
        " prot=mmap.PROT_READ)\n"
        "for at in range(0, 100 << 30, 2 << 20): held[at]\n"
    ),
    "what the kernel keeps of mappings": (
        "import ctypes, os, time\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.mmap.restype = ctypes.c_void_p\n"
        "at = libc.mmap(None, ctypes.c_size_t(256 << 20), 0, 0x22, -1, 0)\n"
        "for page in range(0, 65_000, 2):\n"
        "    libc.mprotect(ctypes.c_void_p(at + page * 4096), ctypes.c_size_t(4096), 1)\n"
        "for _ in range(12):\n"
        "    if os.fork() == 0: time.sleep(60)\n"
    ),
    "memory of several processes": (
        "import os, time\n"
        "for i in range(3):\n"
        "    if os.fork() == 0: held = bytearray(os.urandom(1)) * (48 << 20); time.sleep(60)\n"
    ),
}


@pytest.mark.parametrize("source", HELD.values(), ids=HELD.keys())
def test_what_a_run_holds_is_counted(deed: Deed, source: str) -> None:
    outcome = deed(source + "import time; time.sleep(60)", limits=SMALL)
    assert outcome.stage == "memory"
    assert outcome.message.startswith("The run used more than its 96 MiB of memory")


def test_what_the_kernel_keeps_of_files_is_counted(deed: Deed) -> None:
    source = (
        "import os\nfor n in range(40_000): os.mkfifo(f'/tmp/{n}')\nimport time; time.sleep(60)"
    )
    assert deed(source, limits=changed(memory_bytes=32 * MIB)).stage == "memory"


def test_pages_that_forks_share_are_counted_once(deed: Deed) -> None:
    source = (
        "import os, time\n"
        "held = bytearray(os.urandom(1)) * (48 << 20)\n"
        "children = []\n"
        "for i in range(6):\n"
        "    if (child := os.fork()) == 0: time.sleep(1); os._exit(0)\n"
        "    children.append(child)\n"
        "for child in children: os.waitpid(child, 0)\n"
        "say('well')"
    )
    outcome = deed(source, limits=SMALL)
    assert (outcome.said, outcome.message) == (["well"], "")


@pytest.mark.parametrize("option", [4, 4 | 1 << 32], ids=["as an int", "with more above"])
def test_a_process_cannot_hide_from_who_counts(deed: Deed, option: int) -> None:
    hide = f"call(157, ctypes.c_ulong({option}), 0)"
    source = TRY + f"try: {hide}\nexcept OSError as refused: say(refused.errno)"
    assert deed(source).said == ["1"]


def test_nobody_outlives_others_when_the_machine_has_no_memory_left(deed: Deed) -> None:
    source = (
        "try: open('/proc/self/oom_score_adj', 'w').write('0')\n"
        "except OSError as refused: say(refused.errno)\n"
        "say(open('/proc/self/oom_score_adj').read().strip())"
    )
    assert deed(source).said == ["13", "1000"]
