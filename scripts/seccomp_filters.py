"""Writes the seccomp filters of `worker/sandbox/inside/filters/`, by libseccomp, for every machine
that is served: `.venv/bin/python scripts/seccomp_filters.py`.

They lie in the repository, so that a worker needs no libseccomp, which knows the numbers of all
calls on all machines, and how a filter with conditions is made quick. A test makes them again and
compares. What is in no list does not exist for a snippet (ENOSYS), so that a C library asks in an
older way; what is refused is not permitted (EPERM).
"""

import ctypes
import ctypes.util
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from scripts.seccomp_calls import ALLOWED, REFUSED  # noqa: E402  the root joins the path above
from scripts.seccomp_conditions import (  # noqa: E402  the root joins the path above
    INT,
    Condition,
    an_int,
    equal,
    greater,
    masked,
    neither,
    unequal,
)

FOLDER = ROOT / "worker" / "sandbox" / "inside" / "filters"
# As Python's platform.machine() calls them, and libseccomp's token of each.
MACHINES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
# The flag of a file that is read past memory: others wait for the disk meanwhile, and what is read
# again and again takes as long again and again.
_DIRECT = {"x86_64": 0x4000, "aarch64": 0x1_0000}

_ALLOW, _DONE, _EPERM, _ENOSYS = 0x7FFF_0000, 0x0005_0000, 0x0005_0001, 0x0005_0026
# What the kernel answers where a file system has no such thing: who asked goes on without.
_EINVAL, _EOPNOTSUPP = 0x0005_0016, 0x0005_005F
_KILL_PROCESS = 0x8000_0000
_ON_OTHER_MACHINES, _OPTIMIZE = 2, 8
_BY_TREE = 2

_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_NETWORKS = _AF_INET, _AF_INET6
_PR_SET_DUMPABLE = 4
# Commands that are refused, by value and mask. Keys typed on somebody's terminal; another line
# discipline, bridges, lines and virtual networks, for each of which the kernel loads a module
# before it asks whether one may.
_IOCTL = ((0x5412, INT), (0x5423, INT), (0x8940, 0xFFFF_FFC0), (0x8980, 0xFFFF_FF80))
# And what tells of the disk that a file is on, by which a machine is known again: its number,
# place, name, size and shape (FS_IOC_GETFSUUID, EXT4_IOC_GETFSUUID, FS_IOC_GETFSSYSFSPATH,
# FS_IOC_GETFSLABEL, BTRFS_IOC_FS_INFO, XFS_IOC_FSGEOMETRY); of a file where it lies, what it was
# and whether others are equal (FS_IOC_FIEMAP, EXT4_IOC_PRECACHE_EXTENTS, FS_IOC_GETVERSION,
# FS_IOC_FSGETXATTR, FIDEDUPERANGE).
_OF_DISKS = (
    *(0x8011_1500, 0x8008_662C, 0x8081_1501, 0x8100_9431, 0x8400_941F, 0x8100_587E),
    *(0xC020_660B, 0x6612, 0x8008_7601, 0x801C_581F, 0xC018_9436),
)
# The sockets of a network that there are, by type and protocol: for another one the kernel looks
# for a module.
_OF_NETWORKS = ((1, 0), (1, 6), (2, 0), (2, 17))
_SOCKET_TYPE = 0xF
# What fcntl does with a file's number, flags, locks, seals and hints. No signal but SIGIO is sent
# for a file (F_SETSIG): SIGCONT lets a process go on. Locks that belong to no process cannot be
# counted (F_OFD_SETLK). Others' opening and reading is told to nobody (F_SETLEASE, F_NOTIFY), and
# no pipe is made larger (F_SETPIPE_SZ), for all runs together have so much.
_F_SETFL = 4
_FCNTL = (*range(4), *range(5, 10), 11, 15, 16, 1025, 1030, 1032, 1033, 1034, *range(1035, 1039))
_NOT_FCNTL = (10, 36, 37, 38, 1024, 1026, 1031)
# What prctl does with names, signals at a parent's end, privileges that are given up and asked for,
# and with what ARM has. What is not here keeps memory for nobody (PR_FUTEX_HASH), or a processor
# from others (PR_SCHED_CORE); or hides from whom a process was forked (PR_SET_CHILD_SUBREAPER), as
# does a clone that is its parent's brother: by how many it comes after, what the kernel keeps of
# its memory grows.
_PRCTL = (
    *(1, 2, 3, 15, 16, 21, 23, 29, 30, 37, 38, 39, 40, 41, 42, 47),
    *(*range(50, 57), 63, 64, 0x4155_5856, 0x5356_4D41),
)
# A hold on the process at a socket's other end, which is the worker; SO_PASSPIDFD, for one on each
# that sends, is in no list.
_SO_PEERPIDFD = 77
# Of a read: what is in memory already, which tells of who else has read it; and to leave nothing of
# it there.
_RWF_NOWAIT, _RWF_DONTCACHE = 0x8, 0x80
# Options of sockets, each with its level, by what is answered. Allowed is what is done with
# addresses, time and credentials. A socket is counted as what its buffer takes by default, which
# therefore stays (SO_SNDBUF, SO_RCVBUF): whoever asks is told that it was done, for so the kernel
# answers too where it gives less than was asked for, and programs that are refused give up. Refused
# are buffers beyond what is allowed (SO_SNDBUFFORCE, SO_RCVBUFFORCE), groups of addresses and
# labels, of which the kernel keeps lists, and filters of packets (SO_ATTACH_*), which are machine
# code, of which the whole machine has so much: without any left no filter such as this one is made,
# and so no run begins.
_SOL_SOCKET, _IP, _IPV6 = 1, 0, 41
_WHOLE_LEVELS = _TCP, _UDP = 6, 17
_SOCKET_OPTIONS = (
    (_ALLOW, _SOL_SOCKET, (*range(2, 7), *range(9, 22), 29, 35, 37, 42, *range(63, 68))),
    (_DONE, _SOL_SOCKET, (7, 8)),
    (_EPERM, _SOL_SOCKET, (26, 32, 33, 50, 51, 52)),
    (_ALLOW, _IP, (1, 2, 8, *range(10, 14), 15, 24, 32, 33, 34)),
    (_EPERM, _IP, range(35, 49)),
    (_ALLOW, _IPV6, (*range(16, 20), *range(23, 27), 49, 51, 66, 67, 78)),
    (_EPERM, _IPV6, (20, 21, 27, 28, 32, *range(42, 49))),
)
_NAMESPACES, _CLONE_THREAD, _SHARING, _UNSHARE = 0x7E02_0000, 0x1_0000, 0x1_0400, 2
_CLONE_PARENT = 0x8000
_MAP_SHARED, _MAP_PRIVATE, _MAP_ANONYMOUS, _MAP_HUGETLB = 0x1, 0x2, 0x20, 0x4_0000
_RLIMIT_CORE, _FADV_DONTNEED, _MS_SYNC = 4, 4, 4
# MADV_MERGEABLE, MADV_COLD, MADV_PAGEOUT.
_MADV = (12, 20, 21)
_IOPRIO_WHO_PROCESS, _IOPRIO_CLASS, _IDLE = 1, 0b111 << 13, 0b011 << 13
# Masks and values of all other classes.
_NOT_IDLE = ((0b100, 0b100), (0b110, 0b000), (0b111, 0b010))


Rule = tuple[int, str, tuple[Condition, ...]]


def of_files(direct: int) -> Iterator[Rule]:
    """How files are opened and read: not past memory, nor only where they are in it."""
    for name, flags in (("open", 1), ("openat", 2)):
        yield _ALLOW, name, (masked(flags, direct, 0),)
        yield _EINVAL, name, (masked(flags, direct, direct),)
    setting = an_int(1, _F_SETFL)
    yield _ALLOW, "fcntl", (setting, masked(2, direct, 0))
    yield _EINVAL, "fcntl", (setting, masked(2, direct, direct))
    either = _RWF_NOWAIT | _RWF_DONTCACHE
    yield _ALLOW, "preadv2", (masked(5, either, 0),)
    yield _EOPNOTSUPP, "preadv2", (masked(5, _RWF_NOWAIT, _RWF_NOWAIT),)
    yield _EOPNOTSUPP, "preadv2", (masked(5, either, _RWF_DONTCACHE),)


def conditional() -> Iterator[Rule]:
    """The calls that depend on their arguments, which are the same on every machine."""
    # Calls that name a process: oneself alone. Process 1 watches the others, and belongs to the
    # same user: starved, it could not end them.
    for name in ("sched_setscheduler", "sched_setparam", "sched_setattr", "sched_setaffinity"):
        yield from _only(name, equal(0, 0))
    yield _EPERM, "prlimit64", (unequal(0, 0),)
    # At a limit of one byte nobody is told of a crash; at none the machine's own handler is.
    for differs in neither(1, (_RLIMIT_CORE, INT)):
        yield _ALLOW, "prlimit64", (equal(0, 0), differs)
    yield _ALLOW, "prlimit64", (equal(0, 0), an_int(1, _RLIMIT_CORE), equal(2, 0))
    yield _EPERM, "prlimit64", (equal(0, 0), an_int(1, _RLIMIT_CORE), unequal(2, 0))
    yield from _but("setrlimit", 0, (_RLIMIT_CORE, INT))
    oneself = equal(0, _IOPRIO_WHO_PROCESS), equal(1, 0)
    for name, process in (("setpriority", 0), ("ioprio_set", _IOPRIO_WHO_PROCESS)):
        yield _EPERM, name, (unequal(0, process),)
        yield _EPERM, name, (equal(0, process), unequal(1, 0))
    yield _ALLOW, "setpriority", (equal(0, 0), equal(1, 0))
    # At the disk a run comes as its niceness says, or after all others.
    yield _ALLOW, "ioprio_set", (*oneself, masked(2, _IOPRIO_CLASS, _IDLE))
    for mask, value in _NOT_IDLE:
        yield _EPERM, "ioprio_set", (*oneself, masked(2, mask << 13, value << 13))
    yield from ((_ALLOW, "prctl", (an_int(0, option),)) for option in _PRCTL)
    # Process 1 has to see what the others hold.
    yield _ALLOW, "prctl", (an_int(0, _PR_SET_DUMPABLE), equal(1, 1))
    yield _EPERM, "prctl", (an_int(0, _PR_SET_DUMPABLE), unequal(1, 1))
    # Sockets of the run's own network, which has nobody else in it.
    yield _ALLOW, "socket", (equal(0, _AF_UNIX),)
    for family in _NETWORKS:
        for kind, protocol in _OF_NETWORKS:
            only = (equal(0, family), masked(1, _SOCKET_TYPE, kind), an_int(2, protocol))
            yield _ALLOW, "socket", only
    for family in range(_AF_INET6):
        if family not in (_AF_UNIX, *_NETWORKS):
            yield _EPERM, "socket", (equal(0, family),)
    yield _EPERM, "socket", (greater(0, _AF_INET6),)
    yield from _only("socketpair", equal(0, _AF_UNIX))
    yield from _but("getsockopt", 2, (_SO_PEERPIDFD, INT))
    yield from ((_ALLOW, "setsockopt", (an_int(1, level),)) for level in _WHOLE_LEVELS)
    for action, level, options in _SOCKET_OPTIONS:
        for option in options:
            yield action, "setsockopt", (an_int(1, level), an_int(2, option))
    # Threads of a process share its files, which are counted where the process is told of.
    yield _ALLOW, "clone", (masked(0, _NAMESPACES | _CLONE_THREAD | _CLONE_PARENT, 0),)
    yield _ALLOW, "clone", (masked(0, _NAMESPACES | _SHARING, _SHARING),)
    yield _ALLOW, "close_range", (masked(2, _UNSHARE, 0),)
    yield from _but("ioctl", 1, *_IOCTL, *((command, INT) for command in _OF_DISKS))
    # What others are about to read is taken out of memory; one's own is merged with what is equal
    # in others', which their time to write to it then tells of.
    yield from _but("fadvise64", 3, (_FADV_DONTNEED, INT))
    yield from _but("madvise", 2, *((advice, INT) for advice in _MADV))
    # What a run writes is in memory, of which nothing has to be brought to a disk. For any other
    # file, though it can only be read, the whole disk is told to write what it still holds.
    yield from ((_DONE, name, ()) for name in ("fsync", "fdatasync", "sync_file_range"))
    yield _ALLOW, "msync", (masked(2, _MS_SYNC, 0),)
    yield _DONE, "msync", (masked(2, _MS_SYNC, _MS_SYNC),)
    for action, commands in ((_ALLOW, _FCNTL), (_EPERM, _NOT_FCNTL)):
        yield from ((action, "fcntl", (an_int(1, command),)) for command in commands)
    # Anonymous memory that is shared stays after it was unmapped in part, where nobody counts it.
    # Of huge pages the machine has set so many aside for somebody.
    shared, own = _MAP_SHARED | _MAP_ANONYMOUS, _MAP_PRIVATE | _MAP_ANONYMOUS
    yield _ALLOW, "mmap", (masked(3, _MAP_ANONYMOUS, 0),)
    yield _ALLOW, "mmap", (masked(3, shared | own | _MAP_HUGETLB, own),)
    yield _EPERM, "mmap", (masked(3, shared, shared),)
    yield _EPERM, "mmap", (masked(3, shared | own | _MAP_HUGETLB, own | _MAP_HUGETLB),)


def _only(name: str, condition: Condition) -> Iterator[Rule]:
    yield _ALLOW, name, (condition,)
    yield _EPERM, name, (unequal(condition.argument, condition.first),)


def _but(name: str, argument: int, *patterns: tuple[int, int]) -> Iterator[Rule]:
    """All but where an argument, an int, fits one of these."""
    yield from ((_ALLOW, name, (differs,)) for differs in neither(argument, *patterns))
    yield from ((_EPERM, name, (masked(argument, m, value),)) for value, m in patterns)


def rules(machine: str) -> Iterator[Rule]:
    """All of them: (action, call, conditions)."""
    yield from ((_ALLOW, name, ()) for name in ALLOWED)
    yield from ((_EPERM, name, ()) for name in REFUSED)
    yield from conditional()
    yield from of_files(_DIRECT[machine])


def program(machine: str) -> bytes:
    """The filter of a machine, as classic BPF instructions. Raises OSError where there is no
    libseccomp, or it refuses a rule."""
    library = ctypes.CDLL(ctypes.util.find_library("seccomp") or "libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    library.seccomp_rule_add_array.argtypes = (
        ctypes.c_void_p,
        *(ctypes.c_uint32, ctypes.c_int, ctypes.c_uint),
        ctypes.POINTER(Condition),
    )
    ctx = ctypes.c_void_p(library.seccomp_init(_ENOSYS))
    try:
        _fill(library, ctx, machine)
        with tempfile.TemporaryFile() as file:
            _check(library.seccomp_export_bpf(ctx, file.fileno()), "export")
            file.seek(0)
            return file.read()
    finally:
        library.seccomp_release(ctx)


def _fill(library: ctypes.CDLL, ctx: ctypes.c_void_p, machine: str) -> None:
    native, number = library.seccomp_arch_native(), MACHINES[machine]
    if native & 0xFFFF_FFFF != number:
        _check(library.seccomp_arch_add(ctx, ctypes.c_uint32(number)), "machine")
        _check(library.seccomp_arch_remove(ctx, ctypes.c_uint32(native)), "machine")
    _check(
        library.seccomp_attr_set(ctx, _ON_OTHER_MACHINES, ctypes.c_uint32(_KILL_PROCESS)), "attr"
    )
    _check(library.seccomp_attr_set(ctx, _OPTIMIZE, ctypes.c_uint32(_BY_TREE)), "attr")
    for action, name, conditions in rules(machine):
        number = library.seccomp_syscall_resolve_name(name.encode())
        array = (Condition * max(1, len(conditions)))(*conditions)
        added = library.seccomp_rule_add_array(ctx, action, number, len(conditions), array)
        _check(added, name)


def _check(result: int, doing: str) -> None:
    if result < 0:
        raise OSError(-result, f"libseccomp, {doing}: {os.strerror(-result)}")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for machine in MACHINES:
        filter_ = program(machine)
        (FOLDER / f"{machine}.bpf").write_bytes(filter_)
        print(f"{machine}: {len(filter_) // 8} instructions")


if __name__ == "__main__":
    main()
