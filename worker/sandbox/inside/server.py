"""The warm fork server: imports the compiler once, then forks a runner for each request.

It parses nothing that comes from a snippet. A request is a packet with the run's limits and four
open files; the source goes over one of those, to the runner.
"""

import contextlib
import gc
import importlib
import os
import signal
import socket
import sys
from pathlib import Path
from typing import NoReturn

from worker.sandbox import protocol
from worker.sandbox.inside import init, namespaces
from worker.sandbox.inside.runner import Explore
from worker.sandbox.limits import Limits

_FILES = 4


def main() -> None:
    """The process's entry: imports the compiler, warms it up, and serves."""
    config = protocol.decode_config(sys.argv[1])
    control = socket.socket(fileno=config.control_fd)
    _come_after_others()
    if config.isolate:
        namespaces.become_unprivileged()
    # What is imported stays: to look for garbage among it, again and again, is a tenth of this.
    gc.disable()
    entry = importlib.import_module(config.entry)
    entry.warm()
    _complain_of_threads()
    # Objects that no collection visits stay in pages that runners share.
    gc.collect()
    gc.freeze()
    gc.enable()
    control.send(protocol.READY)
    serve(control, entry.explore, config.isolate)


def serve(control: socket.socket, explore: Explore, isolate: bool) -> None:
    """Forks a runner for each request on `control` and answers each ping, until the trusted side
    closes it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps
    while True:
        packet, files, _, _ = socket.recv_fds(control, protocol.MAX_PACKET, _FILES)
        if not packet:
            return
        if packet == protocol.PING:
            control.send(protocol.PONG)
            continue
        if os.fork() == 0:
            control.close()
            _become_runner(packet, files, explore, isolate)
        for file in files:
            os.close(file)


def _become_runner(packet: bytes, files: list[int], explore: Explore, isolate: bool) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    stream, out, err, status = files
    channel = socket.socket(fileno=status)
    try:
        limits = protocol.decode_limits(packet)
        if isolate:
            namespaces.enter()
        # A session of its own has a share of the processors of its own.
        os.setsid()
        waits, goes = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(goes)
            os.read(waits, 1)
            os.close(waits)
            init.run(channel, init.Files(stream, out, err), limits, explore, isolate)
        handed = [os.pidfd_open(child), *_session_of(child)]
        socket.send_fds(channel, [protocol.encode(protocol.Began())], handed)
    except OSError as error:
        channel.send(protocol.encode(protocol.NotBegun(str(error))))
    finally:
        os._exit(0)


def _session_of(child: int) -> list[int]:
    """The file that says how its session yields (worker/sandbox/share.py); none where Linux does
    not divide the processors among sessions. Process 1 waits meanwhile: nobody but the trusted side
    may open it once the walls stand."""
    with contextlib.suppress(OSError):
        return [os.open(f"/proc/{child}/autogroup", os.O_WRONLY | os.O_CLOEXEC)]
    return []


def _come_after_others() -> None:
    """Where Linux divides the processors among sessions, a process's niceness says nothing outside
    of its own. What root was is root's file once it is somebody else."""
    with contextlib.suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(Limits().niceness))


def _complain_of_threads() -> None:
    """A fork copies one thread only: a lock that another held is never released."""
    threads = os.listdir("/proc/self/task")
    if len(threads) > 1:
        names = [Path(f"/proc/self/task/{thread}/comm").read_text().strip() for thread in threads]
        sys.stderr.write(f"fork server: warming up left {len(threads)} threads: {names}\n")


if __name__ == "__main__":
    main()
