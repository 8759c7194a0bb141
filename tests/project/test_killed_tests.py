"""Tests that are killed leave no server behind."""

import signal
import subprocess
import sys

import psutil
import pytest

PARENT = """
import subprocess, time
from launcher.supervisor import die_with_parent
print(subprocess.Popen(["sleep", "60"], preexec_fn=die_with_parent).pid, flush=True)
time.sleep(60)
"""


@pytest.mark.null
def test_what_is_to_end_with_its_parent_ends_where_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
    child.wait(10)
