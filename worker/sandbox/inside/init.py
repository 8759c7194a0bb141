"""Process 1 of a runner's PID namespace: starts the snippet's process, watches its limits, reports
how it ended.

When it exits, the kernel kills every process of the namespace. A snippet cannot kill it: signals
from within the namespace do not reach process 1. It has no privileges.
"""

import os
import resource
import select
import shutil
import signal
import socket
import tempfile
from typing import NamedTuple, NoReturn

from worker.sandbox import protocol
from worker.sandbox.inside import linux, namespaces, processes, runner
from worker.sandbox.limits import Limits

_WATCH_MS = 100


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
    if isolate:
        namespaces.furnish(limits)
        # Counted for each user of a user namespace; without one it would count the whole account.
        runner.set_limit(resource.RLIMIT_NPROC, limits.processes, limits.processes)
    else:
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if child == 0:
        runner.run(files.stream, files.out, files.err, limits, explore, home)
    for file in files:
        os.close(file)
    return _watch(child, status, limits, isolate)


def _watch(child: int, status: socket.socket, limits: Limits, isolate: bool) -> protocol.Ended:
    baseline = processes.resident_bytes(os.getpid())
    poller = select.poll()
    poller.register(os.pidfd_open(child), select.POLLIN)
    poller.register(status, select.POLLHUP)
    while True:
        hung_up = any(events & select.POLLHUP for _, events in poller.poll(_WATCH_MS))
        if (code := _reap(child)) is not None:
            return _ended(code)
        if hung_up:
            return protocol.Ended("abandoned")
        running = processes.everyone() if isolate else processes.descendants()
        if len(running) > limits.processes:
            return protocol.Ended("processes")
        if sum(map(processes.resident_bytes, running)) - baseline > limits.memory_bytes:
            return protocol.Ended("memory")


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
