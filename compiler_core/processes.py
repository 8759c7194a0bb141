"""Running other programs, such as compilers and assemblers, with a time limit."""

import math
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

# The time.monotonic() at which programs run in this context have to end.
_ends = ContextVar("ends", default=math.inf)


@contextmanager
def ending_within(seconds: float) -> Iterator[None]:
    """Context in which no program runs longer than until `seconds` from now."""
    token = _ends.set(min(_ends.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _ends.reset(token)


def run_within(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str] | None:
    """The result of a program, with its output; None if it did not end within `seconds`, or before
    its context is to end. Then it is killed with all processes that it started, since a compiler's
    child would continue and keep the output open. Raises OSError if it cannot be started."""
    most = min(seconds, max(0.0, _ends.get() - time.monotonic()))
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, process_group=0,
    ) as process:  # fmt: skip
        try:
            stdout, stderr = process.communicate(timeout=most)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
