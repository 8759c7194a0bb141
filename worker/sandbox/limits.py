"""The limits of one run."""

import os

import msgspec

KIB, MIB, GIB = 2**10, 2**20, 2**30


def cpus() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0))


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Wall-clock and processor (`cpu_s`) seconds, bytes, and counts that one run may use; where
    each is held is in docs/security.md, in a table that a test compares with this."""

    deadline_s: float = 60.0
    # Every processor may be busy until the deadline.
    cpu_s: int = 0
    # Of all processes of a run together: what they hold, their page tables, what lies in /tmp and
    # /dev/shm, and what may wait in their sockets.
    memory_bytes: int = 4 * GIB
    tmp_bytes: int = 512 * MIB
    shared_bytes: int = 256 * MIB
    # Files in each of /tmp and /dev/shm.
    files: int = 65536
    file_bytes: int = 256 * MIB
    # A process that was forked from the compiler's server costs some ten milliseconds to make and
    # to end, for the tables of its memory. A compiler starts a few, a pool or a DataLoader as many
    # as there are processors.
    processes: int = 0
    # Of all processes together: torch, XLA and OpenMP each start as many as there are processors.
    threads: int = 0
    # Of one process.
    open_files: int = 1024
    # Of all processes of a run together: of pipes the kernel has so much for all runs.
    all_files: int = 4096
    # Signals and timers that wait, of which the kernel has so many for all runs.
    signals: int = 256
    output_bytes: int = 256 * KIB
    # How long one measurement may keep others from measuring, in seconds.
    lease_s: float = 20.0
    # The scheduler's: a run yields to the web, the worker and its own supervisor.
    niceness: int = 3

    def __post_init__(self) -> None:
        if not self.cpu_s:
            msgspec.structs.force_setattr(self, "cpu_s", int(self.deadline_s * cpus()) + 1)
        if not self.processes:
            msgspec.structs.force_setattr(self, "processes", 32 + 2 * cpus())
        if not self.threads:
            msgspec.structs.force_setattr(self, "threads", 256 + 16 * cpus())
