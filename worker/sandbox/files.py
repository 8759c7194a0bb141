"""The sockets and pipes between the trusted side and one runner."""

import os
import socket
from dataclasses import dataclass


@dataclass(frozen=True)
class Files:
    """The trusted side's ends for one run."""

    stream: socket.socket
    status: socket.socket
    out: int
    err: int

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
