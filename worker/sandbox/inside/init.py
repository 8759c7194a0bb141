"""Process 1 of a runner's PID namespace: starts the snippet's process, watches its limits, reports
how it ended.

When it exits, the kernel kills every process of the namespace. A snippet cannot kill it: it ignores
all signals, and SIGKILL from within the namespace does not reach process 1. It has no privileges,
and a better place with the scheduler than all whom it watches.
"""

import os
import resource
import select
import shutil
import signal
import socket
import tempfile
from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple, NoReturn

from worker.sandbox import protocol
from worker.sandbox.inside import linux, namespaces, processes, runner
from worker.sandbox.inside.memory import Memory
from worker.sandbox.inside.passing import Passing
from worker.sandbox.inside.stillness import Stillness
from worker.sandbox.limits import Limits


class Files(NamedTuple):
    """The runner's file descriptors: the stream of frames, and its standard output and error."""

    stream: int
    out: int
    err: int


def run(
    status: socket.socket,
    files: Files,
    limits: Limits,
    explore: runner.Explore,
    isolate: bool,
) -> NoReturn:
    """Runs one request to its end and exits. `status` is the socket on which it reports; `isolate`:
    it has namespaces of its own."""
    # A signal to one's own group is sent to all who are in it, in whichever namespace: the server,
    # and every other run.
    os.setpgid(0, 0)
    home = "/tmp" if isolate else tempfile.mkdtemp(prefix="fuselab-run-")
    try:
        ended = _supervise(status, files, limits, explore, home, isolate)
        if not isolate:
            processes.end_descendants()
            shutil.rmtree(home, ignore_errors=True)
        status.send(protocol.encode(ended))
    except OSError as error:
        status.send(protocol.encode(protocol.NotBegun(str(error))))
    finally:
        os._exit(0)


def _supervise(
    status: socket.socket,
    files: Files,
    limits: Limits,
    explore: runner.Explore,
    home: str,
    isolate: bool,
) -> protocol.Ended:
    locks = None
    runner.crash_unheard()
    if isolate:
        locks = namespaces.furnish(limits)
        # Counted for each user of a user namespace; without one it would count the whole account.
        runner.set_limit(resource.RLIMIT_NPROC, limits.threads, limits.threads)
    else:
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    handlers = hear_nothing()
    child = os.fork()
    if child == 0:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        runner.run(files.stream, files.out, files.err, limits, explore, home)
    for file in files:
        os.close(file)
    return _watch(child, status, limits, locks)


def hear_nothing() -> dict[signal.Signals, Any]:
    """Ignores every signal that can be ignored; returns what was done before. Of those that cannot
    the kernel delivers none to process 1 from within its namespace."""
    own = {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}
    handled = {number: signal.getsignal(number) for number in signal.Signals if number not in own}
    for number in handled:
        signal.signal(number, signal.SIG_IGN)
    return {number: old for number, old in handled.items() if old is not None}


def _watch(
    child: int, status: socket.socket, limits: Limits, locks: BinaryIO | None
) -> protocol.Ended:
    isolate = locks is not None
    stillness = Stillness(isolate)
    memory = Memory(isolate, stillness.for_a_moment)
    passing = Passing(isolate)
    poller = select.poll()
    poller.register(os.pidfd_open(child), select.POLLIN)
    poller.register(status, select.POLLIN)

    def beyond(running: Sequence[int]) -> protocol.Ended | None:
        """Which of its limits the run is beyond, by what these processes of it hold."""
        if processes.more_than(limits.processes, running):
            return protocol.Ended("processes")
        if _files(running, locks, limits.all_files) > limits.all_files:
            return protocol.Ended("files")
        if memory.exceeds(limits.memory_bytes, running):
            return protocol.Ended("memory")
        return None

    while True:
        ready = dict(poller.poll(stillness.look_again_ms))
        hung_up = bool(ready.get(status.fileno(), 0) & select.POLLHUP)
        if status.fileno() in ready and not hung_up:
            stillness.obey(status.recv(protocol.MAX_PACKET))
            continue
        if (code := _reap(child)) is not None:
            return protocol.Ended("machine") if memory.machine_ran_out(code) else _ended(code)
        if hung_up:
            return protocol.Ended("abandoned")
        running = processes.everyone() if isolate else processes.descendants()
        if stillness.is_broken(running):
            return protocol.Ended("restless")
        if ended := beyond(running):
            return ended
        if passing.hides(running):
            with stillness.for_a_moment():
                ended = beyond(processes.everyone())
            if ended:
                return ended


def _files(running: Sequence[int], locks: BinaryIO | None, most: int) -> int:
    """The files that are open, and locks on them; of the locks no more than `most` and one."""
    held = processes.locks_held(locks, most) if locks else 0
    return held + sum(map(processes.open_files, running))


def _reap(child: int) -> int | None:
    """Reaps orphans; returns the child's exit code once it has ended, else None."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == child:
            code = os.waitstatus_to_exitcode(status)


def _ended(code: int) -> protocol.Ended:
    if code >= 0:
        return protocol.Ended("exit", code)
    if -code == signal.SIGXCPU:
        return protocol.Ended("cpu")
    return protocol.Ended("signal", -code)
