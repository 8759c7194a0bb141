"""What the machine says of a run's processes, and what these say, which end meanwhile."""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from worker.sandbox.files import PROC, receive_packet, threads_of

pytestmark = pytest.mark.null


def test_a_process_that_has_ended_has_no_threads():
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert threads_of(PROC / str(ended.pid)) == []


def test_the_threads_of_a_process_are_its_own():
    assert Path(f"/proc/{os.getpid()}/task/{os.getpid()}") in threads_of(PROC / str(os.getpid()))


def test_what_a_process_said_last_is_read_though_it_went_without_reading():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours:
        ours.send(b"stand still")
        theirs.send(b"ended")
        theirs.close()
        assert [receive_packet(ours, 64) for _ in range(2)] == [(b"ended", []), (b"", [])]
