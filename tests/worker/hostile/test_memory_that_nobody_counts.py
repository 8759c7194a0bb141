"""Memory is counted whatever form it has, and an honest fork is not counted many times."""

import json
from errno import EADDRNOTAVAIL, ENETUNREACH
from pathlib import Path

import pytest

from tests.worker.conftest import Deed
from tests.worker.hostile.tries import EACCES, EPERM, all_of, errors
from tests.worker.sandbox.test_limits import changed
from worker.sandbox.inside import memory, processes
from worker.sandbox.limits import KIB, MIB

pytestmark = pytest.mark.service

SMALL = changed(memory_bytes=96 * MIB, tmp_bytes=256 * MIB, file_bytes=256 * MIB, processes=256)

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


def test_memory_that_is_no_process_s_is_refused(deed: Deed) -> None:
    found = errors(deed, REFUSED)
    assert set(found) == set(REFUSED)
    assert set(found.values()) <= {EPERM, EACCES}, found


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
    "a process whose first thread has ended": (
        "import ctypes, os, threading, time\n"
        "def hold(): time.sleep(0.3); held = bytearray(b'x') * (48 << 20); time.sleep(60)\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0:\n"
        "        threading.Thread(target=hold).start()\n"
        "        ctypes.CDLL(None).syscall(60, 0)\n"
    ),
    "what each process hands on to the next": (
        "import subprocess\n"
        "open('f.c', 'w').write(HANDS_ON)\n"
        "subprocess.run('gcc f.c -o f', shell=True, check=True)\n"
        "held = [subprocess.Popen('./f') for _ in range(3)]\n"
    ),
    "links to those that a process was forked from": (
        "import subprocess\n"
        "open('f.c', 'w').write(LINKED)\n"
        "subprocess.run('gcc f.c -o f && ./f', shell=True, check=True)\n"
    ),
    "memory of several processes": (
        "import os, time\n"
        "for i in range(3):\n"
        "    if os.fork() == 0: held = bytearray(os.urandom(1)) * (48 << 20); time.sleep(60)\n"
    ),
}


# No process lives for as long as it takes to read what it holds.
HANDS_ON = """
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
static char stacks[64][65536], *held;
static long taken, hops;
static int go_on(void *nothing) {
    if (taken < 48l << 20) memset(held + taken, 1, 1 << 18), taken += 1 << 18;
    hops++;
    while (clone(go_on, stacks[hops % 64] + 65536, CLONE_VM | SIGCHLD, 0) < 0) sched_yield();
    syscall(SYS_exit, 0);
}
int main() {
    held = mmap(0, 49 << 20, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    go_on(0);
}
"""
# Each mapping of the last one has a link to that of each before it.
LINKED = """
#include <sys/mman.h>
#include <unistd.h>
int main() {
    char *at = mmap(0, 88 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *at = 1;
    for (int n = 0; n < 80; n++) if (fork()) pause();
    for (long page = 0; page < 22000; page += 2) mprotect(at + page * 4096, 4096, PROT_READ);
    pause();
}
"""


@pytest.mark.parametrize("source", HELD.values(), ids=HELD.keys())
def test_what_a_run_holds_is_counted(deed: Deed, source: str) -> None:
    said = f"HANDS_ON, LINKED = {HANDS_ON!r}, {LINKED!r}\n{source}import time; time.sleep(60)"
    outcome = deed(said, limits=SMALL)
    assert outcome.stage == "memory"
    assert outcome.message.startswith("The run used more than its 96 MiB of memory")


# Says how much the kernel holds of what one socket of each kind has sent: the buffer filled as far
# as it goes with small messages, then one more, as large as there may be.
WAITS = """
import fcntl, json, socket, struct, termios
def pair(kind):
    one, other = socket.socketpair(socket.AF_UNIX, kind)
    for end in (one, other):
        for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
            end.setsockopt(socket.SOL_SOCKET, option, 1 << 26)
    one.setblocking(False)
    return one, other
def waits(kind, number, size):
    one, other = pair(kind)
    try:
        for _ in range(number): one.send(bytes(size))
        largest = one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) - 32
        while True: one.send(bytes(largest))
    except OSError: pass
    return struct.unpack('i', fcntl.ioctl(one, termios.TIOCOUTQ, bytes(4)))[0]
kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET)
say(json.dumps([max(waits(kind, n, 4000) for n in range(0, 30, 5)) for kind in kinds]))
"""


def test_a_socket_holds_no_more_than_is_counted_whatever_buffer_it_asks_for(deed: Deed) -> None:
    outcome = deed(WAITS)
    assert outcome.message == ""
    held = json.loads(outcome.said[0])
    assert memory.default_buffer() < min(held)
    assert max(held) <= memory.waits_at_most()


NOBODY = {
    "TCP": "socket.create_connection(socket.create_server(('127.0.0.1', 0)).getsockname())",
    "UDP": "socket.socket(2, 2).sendto(b'', ('127.0.0.1', 9))",
    "TCP, of the sixth version": "socket.socket(10).connect(('::1', 9))",
    "UDP, of the sixth version": "socket.socket(10, 2).sendto(b'', ('::1', 9))",
}


def test_nothing_waits_in_sockets_of_a_network(deed: Deed) -> None:
    """Their buffers grow by themselves, to another size for each kind."""
    assert set(errors(deed, NOBODY).values()) <= {ENETUNREACH, EADDRNOTAVAIL}


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


HIDES = {
    "as an int": "call(157, ctypes.c_ulong(4), 0)",
    "with more above": "call(157, ctypes.c_ulong(4 | 1 << 32), 0)",
}


def test_a_process_cannot_hide_from_who_counts(deed: Deed) -> None:
    assert errors(deed, HIDES) == all_of(HIDES, EPERM)


# Whoever runs it cannot be looked into: nobody may read the program.
UNREADABLE = """
import subprocess, time
open('f.c', 'w').write(%r)
subprocess.run('gcc f.c -o f && chmod 111 f', shell=True, check=True)
held = [subprocess.Popen('./f') for _ in range(12)]
time.sleep(60)
"""
MAPS = """
#include <sys/mman.h>
#include <unistd.h>
int main() {
    char *at = mmap(0, 256 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (long page = 0; page < 65000; page += 2) mprotect(at + page * 4096, 4096, PROT_READ);
    sleep(60);
}
"""


def test_what_cannot_be_looked_into_is_counted_as_the_most_that_it_can_be(deed: Deed) -> None:
    assert deed(UNREADABLE % MAPS, limits=SMALL).stage == "memory"


def test_what_was_moved_out_of_memory_is_counted(tmp_path: Path, monkeypatch) -> None:
    """As the kernel tells of it where there is swap, which is not everywhere."""
    (process := tmp_path / "7").mkdir()
    (process / "status").write_text("VmSwap:\t 300 kB\nRssAnon:\t 20 kB\nVmPTE:\t 4 kB\n")
    (process / "smaps_rollup").write_text("Pss_Anon: 10 kB\nSwapPss: 300 kB\nSwap: 300 kB\n")
    monkeypatch.setattr(processes, "PROC", str(tmp_path))
    assert processes.bytes_at_most(7) == 324 * KIB
    assert processes.bytes_held(7) == 314 * KIB


def test_locks_on_files_are_counted_as_files(deed: Deed) -> None:
    source = (
        "import fcntl, time\n"
        "file = open('/tmp/f', 'w')\n"
        "for at in range(10_000, 0, -2): fcntl.lockf(file, fcntl.LOCK_EX, 1, at)\n"
        "time.sleep(60)"
    )
    outcome = deed(source)
    assert outcome.stage == "files"
    assert outcome.message.startswith("The run had more than its 4,096 files open or locked in all")


def test_nobody_outlives_others_when_the_machine_has_no_memory_left(deed: Deed) -> None:
    source = (
        "try: open('/proc/self/oom_score_adj', 'w').write('0')\n"
        "except OSError as refused: say(refused.errno)\n"
        "say(open('/proc/self/oom_score_adj').read().strip())"
    )
    assert deed(source).said == ["13", "1000"]
