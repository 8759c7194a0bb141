"""A real Celery worker as a process of its own, and what becomes of the runs given to it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from compiler_core import report
from tests import databases
from webapp.runs import events, queue
from webapp.runs.models import Run

PROJECT = Path(__file__).parents[2]
# The worker as it is but for the compiler; as it is, it serves the tests of the page.
OF_DEEDS = "tests.worker.celery_of_deeds"


def command() -> tuple[str, ...]:
    options = ("-Q", "cpu", "--without-gossip", "--without-mingle")
    return (sys.executable, "-m", "celery", "-A", OF_DEEDS, "worker", *options)


def environment(**more: str) -> dict[str, str]:
    own = {
        "DATABASE_URL": databases.url(),
        "FUSELAB_DEADLINE": "5",
        "FUSELAB_WARM_UP": "2",
        "FUSELAB_RUNS": "1",
    }
    return {**os.environ, **own, **more}


@contextmanager
def worker(**more: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(command(), cwd=PROJECT, env=environment(**more)) as process:
        try:
            yield process
            # One that stands still would not hear that it is to end.
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait(15)
        except BaseException:
            process.kill()
            raise


def stand_still(process: subprocess.Popen[bytes]) -> None:
    """Stops a worker between two of its transactions: within one it would hold the database's
    lock, which nobody else could have."""
    assert soon(lambda: _stands_outside_a_transaction(process))


def _stands_outside_a_transaction(process: subprocess.Popen[bytes]) -> bool:
    process.send_signal(signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    if databases.somebody_writes():
        process.send_signal(signal.SIGCONT)
        return False
    return True


def enqueued(source: str, **options: object) -> Run:
    run = Run.objects.create(source=source, options=options)
    queue.enqueue(run)
    return run


def soon(what: Callable[[], object], seconds: float = 20) -> bool:
    for _ in range(int(seconds / 0.05)):
        if what():
            return True
        time.sleep(0.05)
    return False


def ended(run: Run, seconds: float = 20) -> str:
    """Its state once it has ended."""
    assert soon(lambda: state(run) not in ("queued", "running"), seconds), state(run)
    return state(run)


def state(run: Run) -> str:
    run.refresh_from_db()
    return run.state


def report_of(run: Run) -> report.Report:
    return events.report_so_far(run.pk)


def said(run: Run) -> list[str]:
    return [notice.text for notice in report_of(run).notices]
