"""How much memory a run holds, whoever of its processes holds it and in whatever form."""

import os
import signal
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from worker.sandbox.inside import processes

_FOLDERS = ("/tmp", "/dev/shm")
# A socket takes a message whenever its buffer is not full: it holds a buffer and a message as large
# as one, whose size the kernel rounds up to a power of two.
_BUFFERS = 3
# What the kernel keeps of a file in memory besides what is in it, and of each of a process's
# mappings: beside itself a link to that of each process that it was forked from.
_INODE_BYTES = 1024
_MAPPING_BYTES, _LINK_BYTES = 256, 64
# To count exactly takes milliseconds, in which a process that maps memory waits: of all time at
# most one part in so many goes to it, unless the upper bound has since grown by such a part of the
# limit: who makes counting slow would gain twenty times as long to take what is not his.
_RARELY, _GROWN = 20, 1 / 8
# A process cannot be looked into while it forks or maps: many that do so again and again, and wait
# for a processor meanwhile, would be looked into for half a minute.
_FEW = 8
# Who begins another program shares all of its memory with a child until that is there, and both are
# said to hold it: what is too much is so still after a moment, in seconds.
_MOMENT_S = 0.02


class Memory:
    """Counts for one run; the server's memory, which every runner was forked with, is not its
    own. `isolate`: it has namespaces, and so folders in memory and sockets, of its own. `still`:
    a context in which its processes stand still."""

    def __init__(
        self, isolate: bool, still: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._isolate, self._still = isolate, still
        self._socket = waits_at_most()
        self._inherited = processes.bytes_at_most(os.getpid())
        self._shared = processes.bytes_held(os.getpid())
        # When to count again, and the upper bound when it was last done.
        self._not_before, self._counted_at = 0.0, 0
        self._victims = _victims()

    def exceeds(self, limit: int, running: Sequence[int]) -> bool:
        """Whether the processes `running` hold more than `limit` bytes together."""
        beside = self._beside()
        most = beside + self._at_most(running)
        if most <= limit or not self._may_count(most, limit):
            return False
        began = time.monotonic()
        with self._still() if len(running) > _FEW else nullcontext():
            held = beside + self._held(running)
        now = time.monotonic()
        self._not_before, self._counted_at = now + _RARELY * (now - began), most
        if held <= limit:
            return False
        time.sleep(_MOMENT_S)
        return self._beside() + self._held(running) > limit

    def _may_count(self, most: int, limit: int) -> bool:
        grown = most > self._counted_at + _GROWN * limit
        return grown or time.monotonic() >= self._not_before

    def _beside(self) -> int:
        """What the run holds beside its processes."""
        if not self._isolate:
            return 0
        return sum(map(_used_bytes, _FOLDERS)) + _sockets() * self._socket

    def _at_most(self, running: Sequence[int]) -> int:
        anonymous = sum(map(processes.bytes_at_most, running)) - self._inherited
        each = processes.MOST_MAPPINGS * (_MAPPING_BYTES + _LINK_BYTES * len(running))
        return anonymous + len(running) * each

    def _held(self, running: Sequence[int]) -> int:
        anonymous = sum(map(processes.bytes_held, running)) - self._shared
        forks = processes.forks_before(running)
        return anonymous + sum(
            processes.mappings(pid) * (_MAPPING_BYTES + _LINK_BYTES * before)
            for pid, before in zip(running, forks, strict=True)
        )

    def machine_ran_out(self, code: int) -> bool:
        """Whether a process that ended with this exit code was ended by the kernel, for want of
        memory: it did end one since the run began."""
        return code == -signal.SIGKILL and _victims() > self._victims


def _victims() -> int:
    """How often the kernel has ended a process of this machine for want of memory."""
    with open("/proc/vmstat") as lines:
        return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def _used_bytes(folder: str) -> int:
    found = os.statvfs(folder)
    inodes = found.f_files - found.f_ffree
    return (found.f_blocks - found.f_bfree) * found.f_frsize + inodes * _INODE_BYTES


def waits_at_most() -> int:
    """The most bytes that may wait unread of what one socket has sent: one of Unix's, for a run's
    network is down, with the buffer that the kernel gave it (scripts/seccomp_filters.py)."""
    return _BUFFERS * default_buffer()


def default_buffer() -> int:
    """The size in bytes of the buffer that the kernel gives a socket."""
    with socket.socket(socket.AF_UNIX) as one:
        return one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)


def _sockets() -> int:
    """The sockets of this network namespace, with those that are closed while something of theirs
    waits, and those that lie in messages."""
    try:
        with open("/proc/net/sockstat") as lines:
            return int(next(lines).split()[2])
    except (OSError, StopIteration):
        return 0
