"""What the machine says of a run's processes, which end while it is asked."""

import os
import subprocess
from pathlib import Path

import pytest

from worker.sandbox.files import PROC, threads_of

pytestmark = pytest.mark.null


def test_a_process_that_has_ended_has_no_threads():
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert threads_of(PROC / str(ended.pid)) == []


def test_the_threads_of_a_process_are_its_own():
    assert Path(f"/proc/{os.getpid()}/task/{os.getpid()}") in threads_of(PROC / str(os.getpid()))
