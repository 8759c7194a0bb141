"""Other programs, as compilers and assemblers are, that are given so much time and no more."""

import os
import signal
import subprocess
from collections.abc import Sequence


def run_within(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str] | None:
    """What a program said; None if it has not ended after `seconds`. Then it is ended, with all
    that it started: a compiler's own child would go on, and hold its output open. Raises OSError
    where it does not start."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            out, said = process.communicate(timeout=seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, said)
