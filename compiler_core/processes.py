"""Running other programs, such as compilers and assemblers, with a time limit."""

import os
import signal
import subprocess
from collections.abc import Sequence


def run_within(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str] | None:
    """The result of a program, with its output; None if it did not end within `seconds`. Then it is
    killed with all processes that it started, since a compiler's child would continue and keep the
    output open. Raises OSError if it cannot be started."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, process_group=0,
    ) as process:  # fmt: skip
        try:
            stdout, stderr = process.communicate(timeout=seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
