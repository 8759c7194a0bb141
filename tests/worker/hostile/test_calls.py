"""System calls are those of a list; what compilers need is on it."""

import ctypes.util
import importlib.util
from pathlib import Path

import pytest

from tests.worker.conftest import Deed
from tests.worker.hostile.tries import ENOSYS, EPERM, all_of, errors
from worker.sandbox.inside.seccomp import FILTERS

PROJECT = Path(__file__).parents[3]


def the_script():
    spec = importlib.util.spec_from_file_location(
        "seccomp_filters", PROJECT / "scripts" / "seccomp_filters.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.null
@pytest.mark.skipif(not ctypes.util.find_library("seccomp"), reason="there is no libseccomp here")
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filters_are_those_of_the_lists(machine: str) -> None:
    assert (FILTERS / f"{machine}.bpf").read_bytes() == the_script().program(machine)


@pytest.mark.null
def test_no_call_is_in_both_lists() -> None:
    script = the_script()
    conditional = {name for _, name, conditions in script.rules("x86_64") if conditions}
    assert not set(script.ALLOWED) & set(script.REFUSED)
    assert not conditional & {*script.ALLOWED, *script.REFUSED}


CALL = "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"

# fmt: off
CALLS = {
    "ptrace": 101, "mount": 165, "unshare": 272, "setns": 308,
    "pivot_root": 155, "chroot": 161, "bpf": 321, "perf_event_open": 298,
    "userfaultfd": 323, "process_vm_readv": 310, "process_vm_writev": 311, "pidfd_getfd": 438,
    "io_uring_setup": 425, "io_uring_enter": 426, "io_setup": 206, "add_key": 248,
    "request_key": 249, "keyctl": 250, "move_pages": 279, "process_madvise": 440,
    "open_by_handle_at": 304, "kexec_load": 246, "init_module": 175, "syslog": 103,
    "fsopen": 430, "open_tree": 428, "move_mount": 429, "mount_setattr": 442,
    "memfd_create": 319, "memfd_secret": 447, "vmsplice": 278, "splice": 275,
    "tee": 276, "timer_create": 222, "timer_settime": 223, "landlock_create_ruleset": 444,
    "syncfs": 306, "clock_settime": 227, "personality": 135, "modify_ldt": 154,
    "ioperm": 173, "iopl": 172, "seccomp": 317, "setsid": 112,
    "setxattr": 188,
}
# fmt: on
# What is on no list is not there.
# fmt: off
UNKNOWN = {
    "clone3": 435, "sync": 162, "epoll_create": 213, "epoll_create1": 291, "epoll_ctl": 233,
    "sendfile": 40, "mbind": 237, "a call of tomorrow": 500, "anything": 600,
}
# fmt: on


@pytest.mark.service
def test_what_nobody_needs_is_refused(deed: Deed) -> None:
    known = {name: f"call({number}, 0, 0, 0, 0, 0)" for name, number in CALLS.items()}
    unknown = {name: f"call({number}, 0, 0, 0, 0, 0)" for name, number in UNKNOWN.items()}
    assert errors(deed, known | unknown) == all_of(known, EPERM) | all_of(unknown, ENOSYS)


OPTIONS = {
    "memory for a hash of futexes": "78, 1, 1 << 20, 0, 0",
    "the same with more above": "(1 << 32) | 78, 1, 1 << 20, 0, 0",
    "a processor's other half kept from others": "62, 1, 0, 1, 0",
    "a further filter, which may fill the machine's log": "22, 2, 0, 0, 0",
    "who may trace": "0x59616D61, -1, 0, 0, 0",
    "dispatch of system calls": "59, 1, 0, 0, 0",
    "another layout of memory": "35, 1, 0, 0, 0",
    "pages merged with those of others": "67, 1, 0, 0, 0",
    "orphans kept from process 1": "36, 1, 0, 0, 0",
}


@pytest.mark.service
def test_prctl_does_what_is_listed_and_nothing_else(deed: Deed) -> None:
    attacks = {n: f"call(157, *map(ctypes.c_ulong, ({said})))" for n, said in OPTIONS.items()}
    own = {"a name": "call(157, 15, b'mine')", "no new privileges": "call(157, 38, 1, 0, 0, 0)"}
    assert errors(deed, attacks | own) == all_of(attacks, ENOSYS) | all_of(own, 0)


ARGUMENTS = {
    "another signal for a file": "fcntl.fcntl(0, 10, signal.SIGCONT)",
    "a lock that is no process's": "fcntl.fcntl(0, 37, bytes(32))",
    "huge pages": "mmap.mmap(-1, 2 << 20, flags=0x40000 | mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
    "what others read taken out of memory": "os.posix_fadvise(0, 0, 0, os.POSIX_FADV_DONTNEED)",
    "a filter of packets": "socket.socket(socket.AF_UNIX).setsockopt(1, 26, bytes(16))",
    "the same for a port": "socket.socket(socket.AF_UNIX).setsockopt(1, 51, bytes(16))",
    "a buffer beyond what is allowed": "socket.socket(socket.AF_UNIX).setsockopt(1, 32, 1 << 26)",
    "the same for what is received": "socket.socket(socket.AF_UNIX).setsockopt(1, 33, 1 << 26)",
    "groups, of which the kernel keeps lists": "socket.socket(2, 2).setsockopt(0, 35, bytes(12))",
    "the same of the sixth version": "socket.socket(10, 2).setsockopt(41, 20, bytes(20))",
    "crashes told to the machine": "call(160, 4, bytes(16))",
    "the same by another call": "call(302, 0, 4, bytes(16), 0)",
    "the same with more above": "call(302, 0, ctypes.c_ulong(1 << 32 | 4), bytes(16), 0)",
    "another discipline for a line": "fcntl.ioctl(os.openpty()[1], 0x5423, bytes(4))",
    "another one, with more above": "call(16, 0, ctypes.c_ulong(1 << 32 | 0x5423), bytes(4))",
    "a bridge, which is a module": "fcntl.ioctl(socket.socket(), 0x89A0, bytes(16))",
    "what bridges there are": "fcntl.ioctl(socket.socket(), 0x8940, bytes(32))",
    "a virtual network, which is a module": "fcntl.ioctl(socket.socket(), 0x8982, bytes(64))",
    "the same, with more above": "call(16, 0, ctypes.c_ulong(1 << 32 | 0x8982), bytes(64))",
    **{
        f"{what} of the disk that a library is on": (
            f"fcntl.ioctl(os.open('/usr/bin/env', os.O_RDONLY), {command}, bytes({size}))"
        )
        for what, command, size in (
            ("the number", 0x80111500, 17),
            ("the same by its file system", 0x8008662C, 24),
            ("the place among devices", 0x80811501, 129),
            ("the name", 0x81009431, 256),
            ("the blocks", 0xC020660B, 32),
            ("the blocks brought to memory", 0x6612, 8),
            ("the edition of a file", 0x80087601, 8),
            ("the project of a file", 0x801C581F, 28),
            ("equal blocks", 0xC0189436, 24),
            ("the size", 0x8400941F, 1024),
            ("the shape", 0x8100587E, 256),
        )
    },
    "memory merged with that of others": "mmap.mmap(-1, 4096, flags=0x22).madvise(12)",
    "what others read moved out of memory": "mmap.mmap(-1, 4096, flags=0x22).madvise(21)",
}
# For a type and a protocol that it does not have the kernel begins a program that loads a module.
MODULES = {
    f"family {family}, type {kind}, protocol {protocol}": (
        f"socket.socket({family}, {kind}, {protocol})"
    )
    for family in (2, 10)
    for kind, protocol in (
        (1, 132),
        (5, 132),
        (1, 262),
        (6, 33),
        (2, 115),
        (2, 136),
        (2, 1),
        (5, 0),
    )
}
HONEST = {
    "a socket of TCP by its name": "socket.socket(2, 1, 6)",
    "a socket of UDP by its name": "socket.socket(10, 2, 17)",
    "what addresses there are": "fcntl.ioctl(socket.socket(), 0x8912, bytes(16))",
    "pages that are not needed": "mmap.mmap(-1, 4096, flags=0x22).madvise(mmap.MADV_DONTNEED)",
    "what was written brought to nowhere": "file = open('/tmp/f', 'w'); os.fsync(file.fileno())",
    "the same of memory": "mmap.mmap(-1, 4096, flags=0x22).flush()",
    "a range of files closed": "call(436, 900, 1000, 0)",
    "which discipline a line has": "fcntl.ioctl(os.openpty()[1], 0x5424, bytes(4))",
    "a hint": "os.posix_fadvise(0, 0, 0, os.POSIX_FADV_SEQUENTIAL)",
    "a buffer": "socket.socket(socket.AF_UNIX).setsockopt(1, socket.SO_SNDBUF, 4096)",
    "a buffer of what is received": "socket.socket().setsockopt(1, socket.SO_RCVBUF, 1 << 26)",
    "a file copied": "__import__('shutil').copyfile('/etc/ld.so.cache', '/tmp/copied')",
    "an address again": "socket.socket().setsockopt(1, socket.SO_REUSEADDR, 1)",
    "both kinds of address": "socket.socket(10).setsockopt(41, socket.IPV6_V6ONLY, 0)",
    "no waiting for more": "socket.socket().setsockopt(6, socket.TCP_NODELAY, 1)",
    "a limit": "resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))",
    "a limit asked for": "resource.getrlimit(resource.RLIMIT_CORE)",
    "memory": "mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)",
}


@pytest.mark.service
def test_calls_are_refused_by_what_they_ask(deed: Deed) -> None:
    assert errors(deed, ARGUMENTS | HONEST) == all_of(ARGUMENTS, EPERM) | all_of(HONEST, 0)


@pytest.mark.service
def test_no_module_is_loaded_for_a_socket(deed: Deed) -> None:
    assert errors(deed, MODULES) == all_of(MODULES, ENOSYS)


@pytest.mark.service
def test_no_disk_is_told_to_write_what_it_holds(deed: Deed) -> None:
    """The kernel says of a pipe that there is nothing to be brought anywhere."""
    tried = "import os; pipe = os.pipe(); say([os.fsync(each) for each in pipe])"
    assert deed(tried).said == ["[None, None]"]


@pytest.mark.service
def test_no_crash_is_told_to_the_machine(deed: Deed) -> None:
    """The kernel begins its handler of crashes even for a limit of no bytes, but not for one."""
    assert deed("import resource; say(resource.getrlimit(resource.RLIMIT_CORE))").said == ["(1, 1)"]


@pytest.mark.service
def test_no_clone_makes_namespaces_or_threads_with_files_of_their_own(deed: Deed) -> None:
    flags = "(0x10000000, 0x20000000, 0x00020000, 0x40000000, 0x00010900, 0x00008000)"
    said = deed(CALL + f"say([c.syscall(56, flag | 17, 0, 0, 0, 0) for flag in {flags}])").said
    assert said == ["[-1, -1, -1, -1, -1, -1]"]
    assert deed(CALL + "say(c.syscall(436, 900, 1000, 2))").said == ["-1"]


@pytest.mark.service
@pytest.mark.parametrize(
    ("family", "allowed"), [(1, True), (2, True), (10, True), (16, False), (17, False), (40, False)]
)
def test_sockets_are_of_one_s_own_machine(deed: Deed, family: int, allowed: bool) -> None:
    source = (
        "import socket\n"
        f"try: socket.socket({family}, 3 if {family} in (16, 17) else 1); say(True)\n"
        "except OSError as refused: say((False, refused.errno))"
    )
    assert deed(source).said == (["True"] if allowed else ["(False, 1)"])


@pytest.mark.service
def test_numbers_of_another_machine_end_the_run(deed: Deed) -> None:
    outcome = deed(CALL + "c.syscall(0x40000000 | 39)")
    assert outcome.stage == "crash"
    assert "a system call that the sandbox does not allow" in outcome.message


@pytest.mark.service
@pytest.mark.parametrize("above", [0, 1 << 32], ids=["as an int", "with more above"])
def test_no_key_is_typed_for_another(deed: Deed, above: int) -> None:
    typed = f"c.syscall(16, terminal, ctypes.c_ulong({0x5412 | above}), b'x')"
    source = CALL + f"import os; _, terminal = os.openpty()\nsay(({typed}, ctypes.get_errno()))"
    assert deed(source).said == ["(-1, 1)"]


@pytest.mark.service
def test_what_programs_ask_of_files_is_there(deed: Deed) -> None:
    source = (
        "import fcntl, os\n"
        "file = open('/tmp/file', 'w')\n"
        "fcntl.flock(file, fcntl.LOCK_EX); fcntl.lockf(file, fcntl.LOCK_EX)\n"
        "os.set_inheritable(file.fileno(), True); os.set_blocking(os.pipe()[0], False)\n"
        "import asyncio; asyncio.run(asyncio.create_subprocess_exec('true'))\n"
        "say(fcntl.fcntl(fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 90), fcntl.F_GETFD))"
    )
    assert deed(source).said == ["1"]
