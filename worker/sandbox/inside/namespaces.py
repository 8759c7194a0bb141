"""Creates the namespaces of a runner, which therefore shares nothing writable with another one."""

import contextlib
import io
import os
from typing import BinaryIO

from worker.sandbox import protocol
from worker.sandbox.inside import landlock, linux, seccomp
from worker.sandbox.limits import Limits

_OWN = (
    linux.CLONE_NEWUSER
    | linux.CLONE_NEWPID
    | linux.CLONE_NEWNS
    | linux.CLONE_NEWIPC
    | linux.CLONE_NEWUTS
    | linux.CLONE_NEWNET
)
_PLAIN = linux.MS_NOSUID | linux.MS_NODEV
# A shared mapping of it would be memory that is counted for nobody.
_NO_DEVICES = ("/dev/zero",)
_TERMINALS = 16
_WRITABLE = ("/tmp", "/dev")
# What the kernel says of the machine and of all who use it, and no compiler asks.
_MASKED = (
    *("/proc/cmdline", "/proc/diskstats", "/proc/interrupts", "/proc/iomem", "/proc/ioports"),
    *("/proc/kallsyms", "/proc/kcore", "/proc/keys", "/proc/key-users", "/proc/kmsg"),
    *("/proc/latency_stats", "/proc/loadavg", "/proc/locks", "/proc/modules", "/proc/pagetypeinfo"),
    *("/proc/partitions", "/proc/sched_debug", "/proc/schedstat", "/proc/slabinfo"),
    *("/proc/softirqs", "/proc/swaps", "/proc/sysrq-trigger", "/proc/timer_list"),
    *(
        "/proc/vmallocinfo",
        "/proc/zoneinfo",
        "/proc/buddyinfo",
        "/proc/config.gz",
        "/proc/consoles",
    ),
    *("/proc/mtrr", "/proc/cgroups", "/proc/crypto", "/proc/dma", "/proc/misc"),
    *(f"/proc/pressure/{each}" for each in ("cpu", "io", "irq", "memory")),
    "/proc/sys/kernel/random/boot_id",
)
_MASKED_FOLDERS = tuple(
    f"/proc/{each}" for each in ("acpi", "asound", "bus", "fs", "irq", "scsi", "tty")
)
# The kernel keeps the first 300 numbers of a PID namespace back once they have been used.
_RESERVED_PIDS = 301
USER = 1000


def become_unprivileged() -> None:
    """Gives up root, which the server has if the worker does.

    bubblewrap hides the parts of /proc that root could write to. A runner may mount its own /proc
    only where no part of the outer one is hidden, so nobody may be root here.
    """
    if os.getuid() != 0:
        return
    with open("/proc/self/mountinfo") as mounts:
        points = [line.split()[4] for line in mounts]
    for point in points:
        if point.startswith("/proc/"):
            linux.unmount(point)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)


def enter() -> None:
    """Moves this process into new namespaces; its next child becomes process 1 of the new PID
    namespace."""
    user, group = os.getuid(), os.getgid()
    # Files of /proc/self belong to root while a process cannot be dumped.
    linux.prctl(linux.PR_SET_DUMPABLE, 1)
    linux.unshare(_OWN)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def furnish(limits: Limits) -> BinaryIO:
    """Mounts fresh /proc, /tmp, /dev/shm and /dev/pts, and what the server prepared as read-only;
    then gives up all privileges for good. Returns the kernel's list of file locks, which a snippet
    cannot read."""
    linux.mount(None, "/", linux.MS_REC | linux.MS_PRIVATE)
    for point, more in ((protocol.WARM, linux.MS_RDONLY), *((each, 0) for each in _NO_DEVICES)):
        linux.mount(None, point, _PLAIN | linux.MS_REMOUNT | linux.MS_BIND | more)
    make_folders(limits)
    forbid(limits)
    # Open for as long as process 1 lives.
    locks = io.FileIO("/proc/locks")
    mask()
    linux.prctl(linux.PR_SET_DUMPABLE, 0)
    linux.drop_capabilities()
    landlock.write_only_beneath(_WRITABLE)
    seccomp.allow_known_calls()
    return locks


def make_folders(limits: Limits) -> None:
    """Mounts a run's own /proc, /tmp, /dev/shm and /dev/pts over the others."""
    linux.mount("proc", "/proc", _PLAIN | linux.MS_NOEXEC)
    for point, size in (("/tmp", limits.tmp_bytes), ("/dev/shm", limits.shared_bytes)):
        options = f"size={size},nr_inodes={limits.files},mode=1777"
        linux.mount("tmpfs", point, _PLAIN, options)
    terminals = f"newinstance,ptmxmode=0666,mode=620,max={_TERMINALS}"
    linux.mount("devpts", "/dev/pts", linux.MS_NOSUID | linux.MS_NOEXEC, terminals)


def mask() -> None:
    """Empties the files and folders of /proc that tell of the machine."""
    for path in filter(os.path.exists, _MASKED):
        linux.bind(os.devnull, path)
    for path in filter(os.path.isdir, _MASKED_FOLDERS):
        linux.mount("tmpfs", path, _PLAIN | linux.MS_RDONLY, "nr_inodes=1,mode=555")


def forbid(limits: Limits) -> None:
    """Further namespaces, more processes than there may be, and to outlive others when the
    machine has no memory left."""
    _write("/proc/sys/user/max_user_namespaces", "0")
    # A PID namespace has a limit of its own since Linux 6.14; before that RLIMIT_NPROC holds alone.
    with contextlib.suppress(OSError):
        _write("/proc/sys/kernel/pid_max", str(_RESERVED_PIDS + limits.threads))
    _write("/proc/self/oom_score_adj", "1000")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)
