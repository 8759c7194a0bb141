"""Ways past the walls that lead over what a run is given: its stream, its name, what all read."""

import platform
import re
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

from tests.worker.conftest import LIMITS, Deed, perform
from tests.worker.hostile.tries import EACCES, ENOSYS, EPERM, all_of, errors
from worker.sandbox.inside import linux
from worker.sandbox.limits import MIB
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service

PROJECT = Path(__file__).parents[3]
EINVAL, EOPNOTSUPP = 22, 95
SMALL = msgspec.structs.replace(LIMITS, memory_bytes=128 * MIB)
HOLDS = (
    "import os, time\n"
    "for _ in range(4):\n"
    "    if os.fork() == 0: held = bytearray(b'x') * (60 << 20); time.sleep(9)\n"
    "time.sleep(9)"
)

# The kernel takes any bytes for a name, and shows them as they are.
NAMES = {
    "of no text": rb"\xff\xfe",
    "that ends its own brackets": b"x) Z 1 1",
    "of two lines": rb"x\nRssAnon:\t0 kB",
}
NAMED = "import ctypes, time; ctypes.CDLL(None).prctl(15, b'{}', 0, 0, 0); time.sleep(0.5)\n"


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_whatever_a_process_is_called_it_goes_on_and_is_counted(deed: Deed, name: bytes) -> None:
    named = NAMED.format(name.decode())
    assert deed(f"{named}say('goes on')").said == ["goes on"]
    assert deed(named + HOLDS, limits=SMALL).stage == "memory"


def test_whatever_others_are_called_a_run_is_told_of_its_deadline(server: ForkServer) -> None:
    """It is looked at all processes of the machine then."""
    named = NAMED.format(NAMES["of no text"].decode())
    other = subprocess.Popen([sys.executable, "-ISc", f"{named}time.sleep(60)"])
    try:
        time.sleep(0.3)
        limits = msgspec.structs.replace(LIMITS, deadline_s=1.5)
        assert perform(server, "while True: pass", limits=limits).stage == "deadline"
    finally:
        other.kill()
        other.wait()


PEERS = {
    "a hold on the worker": "socket.socket(fileno=os.dup(3)).getsockopt(1, 77, 4)",
    "the same, with more above": "call(55, 3, 1, ctypes.c_ulong(1 << 32 | 77), bytes(4), bytes(4))",
}
SENT = {"a hold on who sends": "socket.socket(fileno=os.dup(3)).setsockopt(1, 76, 1)"}
WHO = {"of whom it is": "socket.socket(fileno=os.dup(3)).getsockopt(1, socket.SO_PEERCRED, 12)"}


def test_nobody_gets_hold_of_the_worker_at_the_other_end_of_the_stream(deed: Deed) -> None:
    found = errors(deed, PEERS | SENT | WHO)
    assert found == all_of(PEERS, EPERM) | all_of(SENT, ENOSYS) | all_of(WHO, 0)


# Whether others have read a library lately: what may be asked of the kernel without reading.
LIBRARY = "os.open(__import__('_ctypes').__file__, os.O_RDONLY)"
IN_MEMORY = {
    "what is there at once": (f"os.preadv({LIBRARY}, [bytearray(1)], 0, 8)", EOPNOTSUPP),
    "the same among others": (f"os.preadv({LIBRARY}, [bytearray(1)], 0, 9)", EOPNOTSUPP),
    "which pages are there": ("call(27, ctypes.c_void_p(0), 0, 0)", EPERM),
    "how many are there": (f"call(451, {LIBRARY}, bytes(16), bytes(40), 0)", ENOSYS),
}
# What goes past memory has the disk work for as long as one likes, while others wait for it.
DIRECT = (
    "16384" if platform.machine() == "x86_64" else "65536"
)  # O_DIRECT, in the words of each machine
PAST_MEMORY = {
    "a file": (f"os.open('/usr/bin/env', {DIRECT})", EINVAL),
    "by its older call": (f"call(2, b'/usr/bin/env', {DIRECT}, 0)", EINVAL),
    "with more above": (f"call(257, -100, b'/usr/bin/env', 1 << 32 | {DIRECT}, 0)", EINVAL),
    "a file that is open": (f"fcntl.fcntl({LIBRARY}, fcntl.F_SETFL, {DIRECT})", EINVAL),
    "by a call that cannot be looked into": ("call(437, -100, b'/', bytes(24), 24)", ENOSYS),
    "a read that leaves nothing": (f"os.preadv({LIBRARY}, [bytearray(1)], 0, 128)", EOPNOTSUPP),
    "before all others": ("call(251, 1, 0, 2 << 13)", EPERM),
    "before all others, with more above": (
        "call(251, 1, 0, ctypes.c_ulong(1 << 32 | 2 << 13))",
        EPERM,
    ),
}
HONEST = {
    "reading": f"os.preadv({LIBRARY}, [bytearray(1)], 0)",
    "reading with care": f"os.preadv({LIBRARY}, [bytearray(1)], 0, 1)",
    "opening": "os.open('/usr', os.O_DIRECTORY | os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)",
    "not waiting": "fcntl.fcntl(os.pipe()[0], fcntl.F_SETFL, os.O_NONBLOCK)",
    "coming after all others at the disk": "call(251, 1, 0, 3 << 13)",
}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="calls by their numbers on x86-64")
def test_the_disk_and_what_is_in_memory_of_it_are_nobody_s_to_tell_or_to_hold(deed: Deed) -> None:
    asked = IN_MEMORY | PAST_MEMORY
    attacks = {name: attack for name, (attack, _) in asked.items()}
    expected = {name: error for name, (_, error) in asked.items()}
    assert errors(deed, attacks | HONEST) == expected | all_of(HONEST, 0)


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its processors have such calls")
def test_calls_of_the_machine_before_this_one_end_the_run(deed: Deed) -> None:
    """`int 0x80`: other numbers, of which the list says nothing."""
    source = (
        "import ctypes, mmap\n"
        "page = mmap.mmap(-1, 4096, flags=0x22, prot=7)\n"
        "page.write(bytes.fromhex('b814000000cd80c3'))\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "say(ctypes.CFUNCTYPE(ctypes.c_int)(at)())"
    )
    outcome = deed(source)
    assert (outcome.said, outcome.stage) == ([], "crash")
    assert "a system call that the sandbox does not allow" in outcome.message


def test_what_is_read_only_in_one_s_own_memory_is_not_written_by_a_file(deed: Deed) -> None:
    """Through /proc the kernel writes even what may not be written."""
    attacks = {
        f"{path}, {how}": f"open('{path}', '{how}')"
        for path in ("/proc/self/mem", "/proc/thread-self/mem", "/proc/1/mem")
        for how in ("r+b", "wb", "ab")
    }
    found = errors(deed, attacks)
    others = {name: number for name, number in found.items() if "/1/" in name}
    assert set(others.values()) == {EACCES}
    if linux.syscall(444, None, 0, 1) >= 2:
        assert found == all_of(attacks, EACCES)


def test_a_program_without_a_name_is_of_its_run_and_ends_with_it(deed: Deed) -> None:
    source = (
        "import ctypes, os, time\n"
        "libc = ctypes.CDLL(None)\n"
        "file = os.open('/tmp', os.O_TMPFILE | os.O_RDWR, 0o700)\n"
        "os.write(file, open('/bin/sleep', 'rb').read())\n"
        "again = os.open(f'/proc/self/fd/{file}', os.O_RDONLY); os.close(file)\n"
        "words = (ctypes.c_char_p * 3)(b'sleep', b'60', None)\n"
        "if os.fork() == 0: libc.syscall(322, again, b'', words, None, 0x1000)\n"
        "time.sleep(0.3); say(sum(map(str.isdecimal, os.listdir('/proc'))))"
    )
    # Process 1, the snippet's and the program; the neighbour sees to it that others are not ended.
    assert deed(source).said == ["3"]


STREAMS = {
    "rests without a lease": "b'T'",
    "gives back what it does not have": "b'R'",
    "asks to go on again and again": "b'P'",
    "asks for a lease again and again": "b'L'",
}


@pytest.mark.parametrize("kind", STREAMS.values(), ids=STREAMS.keys())
def test_a_flood_of_what_may_be_asked_gains_nothing(deed: Deed, kind: str) -> None:
    frame = f"({kind} + (b'\\0\\0\\0\\3cpu' if {kind} == b'L' else bytes(4)))"
    outcome = deed(f"stream.sendall({frame} * 30_000)\nsay('all')")
    assert (outcome.said, outcome.message) == (["all"], "")
    beyond = deed(f"stream.sendall({frame} * 50_000)\nsay('all')")
    assert "more than 40,000 frames" in beyond.message


def test_a_folder_that_nobody_may_look_into_is_counted(deed: Deed) -> None:
    source = (
        "import os, time\n"
        "for number in range(40):\n"
        "    open(f'/dev/shm/{number}', 'wb').write(bytes(7 << 20))\n"
        "    os.chmod('/dev/shm', 0); os.chmod('/tmp', 0)\n"
        "    time.sleep(0.05); os.chmod('/dev/shm', 0o300)\n"
        "time.sleep(5)"
    )
    assert deed(source, limits=SMALL).stage == "memory"


def test_stacks_are_counted(deed: Deed) -> None:
    """What grows downwards is no data to the kernel, which therefore does not limit it."""
    source = (
        "import ctypes, time\n"
        "libc = ctypes.CDLL(None); libc.mmap.restype = ctypes.c_void_p\n"
        "size = 400 << 20; at = libc.mmap(None, ctypes.c_size_t(size), 3, 0x122, -1, 0)\n"
        "for page in range(size - 4096, 0, -4096): ctypes.memset(at + page, 1, 1)\n"
        "time.sleep(5)"
    )
    assert deed(source, limits=SMALL).stage == "memory"


def test_signals_of_files_do_not_keep_process_1_from_watching(deed: Deed) -> None:
    source = (
        "import fcntl, os, socket, time\n"
        "one, other = socket.socketpair()\n"
        "for each in (one, other):\n"
        "    fcntl.fcntl(each, fcntl.F_SETOWN, 1); fcntl.fcntl(each, fcntl.F_SETFL, os.O_ASYNC)\n"
        "if os.fork() == 0:\n"
        "    while True: one.send(b'x'); other.recv(1)\n"
    )
    assert deed(source + HOLDS, limits=SMALL).stage == "memory"


# Of /sys there is one folder, and none of it can be written.
TOLD = """
import os, re
told, written = set(), []
for folder, _, files in os.walk('/sys'):
    for name in files:
        path = f'{folder}/{name}'
        try:
            if open(path, 'rb').read(1): told.add('/'.join(path.split('/')[:5]))
        except OSError: pass
        try: open(path, 'wb'); written.append(path)
        except OSError as refused:
            if refused.errno not in (2, 13, 30): written.append(path)
say(' '.join(sorted(told))); say(written)
"""


def test_what_sys_tells_is_documented_and_nothing_of_it_is_written(deed: Deed) -> None:
    documented = re.findall(r"`(/sys/[\w/]+)`", (PROJECT / "docs" / "security.md").read_text())
    told, written = deed(TOLD).said
    assert {*told.split()} <= {*documented}
    assert written == "[]"
