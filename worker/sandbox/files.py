"""The sockets and pipes between the trusted side and one runner."""

import contextlib
import itertools
import logging
import os
import select
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
log = logging.getLogger(__name__)

# Bytes that are read at a time.
CHUNK = 1 << 18
_DEATH_MS, _AGAIN_MS = 2000, 100
# Process 1, and its session.
_HANDED = 2


@dataclass(frozen=True)
class Files:
    """The trusted side's ends for one run."""

    stream: socket.socket
    status: socket.socket
    out: int
    err: int

    def wait_for_nobody(self) -> None:
        """From now on no reading waits for what the runner writes, nor writing for it to read."""
        self.stream.setblocking(False)
        for end in (self.out, self.err):
            os.set_blocking(end, False)

    def close(self) -> None:
        """Closes all of them."""
        self.stream.close()
        self.status.close()
        os.close(self.out)
        os.close(self.err)


def channels() -> tuple[Files, list[int]]:
    """The trusted side's ends, and the runner's as file descriptors."""
    stream, runner_stream = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    status, init_status = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    (out, runner_out), (err, runner_err) = os.pipe(), os.pipe()
    theirs = [runner_stream.detach(), runner_out, runner_err, init_status.detach()]
    return Files(stream, status, out, err), theirs


def receive(stream: socket.socket) -> bytes:
    """What there is to read; nothing where the other side is gone."""
    try:
        return stream.recv(CHUNK)
    except ConnectionError:
        return b""


def receive_packet(status: socket.socket, most: int) -> tuple[bytes, list[int]]:
    """The next packet, of at most so many bytes, and the files that came with it; an empty one
    where the other side is gone."""
    try:
        packet, files, _, _ = socket.recv_fds(status, most, _HANDED)
    except ConnectionResetError:
        # It went with something unread. That is said once, before what it had sent until then.
        packet, files, _, _ = socket.recv_fds(status, most, _HANDED)
    return packet, files


def send(stream: socket.socket, data: bytes) -> None:
    """Sends all of it, or what is taken."""
    # Where the runner is gone, its end is read from the status socket.
    with contextlib.suppress(OSError):
        stream.sendall(data)


def process_of(pidfd: int, proc: Path = PROC) -> int:
    """The number of the process."""
    lines = (proc / f"self/fdinfo/{pidfd}").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pid:"))


def threads_of(process: Path) -> list[Path]:
    """The folders of a process's threads, by its own; none where it has ended meanwhile."""
    try:
        return [*(process / "task").iterdir()]
    except OSError:
        return []


def kill(pidfd: int, meanwhile: Callable[[], None] = lambda: None) -> None:
    """Process 1 of a runner is dead when all others are: waits for that, however long it takes, as
    until then the runner uses the machine; `meanwhile` is called again and again."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    poller = select.poll()
    poller.register(pidfd, select.POLLIN)
    for look in itertools.count(1):
        if poller.poll(_AGAIN_MS):
            return
        meanwhile()
        if look * _AGAIN_MS % _DEATH_MS == 0:
            log.error("a runner has been killed and is not dead yet")
