"""Whoever is killed at whatever moment: every run that was accepted ends, done once or failed with
what happened, and no process is left."""

import random
import signal
import subprocess
import time

import psutil
import pytest

from tests.worker.celery_worker import (
    PROJECT,
    command,
    enqueued,
    environment,
    report_of,
    said,
    soon,
)
from webapp.runs import workers
from webapp.runs.models import FINAL, Run

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]

ROUNDS = 6
TRUE_REASONS = (
    "The run's process was ended by SIGKILL",
    "The run was cut off because the sandbox that it ran in ended.",
    "The worker that had the run ended before the run did, and so did the next one.",
)


class Worker:
    """A worker that is started again when it is dead, as the launcher does."""

    def __init__(self) -> None:
        self._process = self._begun()
        self.seen: set[psutil.Process] = set()

    def _begun(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(command(), cwd=PROJECT, env=environment(FUSELAB_RUNS="2"))

    def family(self) -> list[psutil.Process]:
        if self._process.poll() is not None:
            self._process = self._begun()
        try:
            found = psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        self.seen.update(found)
        return [psutil.Process(self._process.pid), *found]

    def close(self) -> None:
        self.family()
        self._process.terminate()
        self._process.wait(20)


@pytest.mark.usefixtures("empty_redis")
def test_nothing_is_lost_whoever_is_killed() -> None:
    chance = random.Random(48)
    worker, runs = Worker(), list[Run]()
    try:
        for number in range(ROUNDS):
            source = f"import time; show(); time.sleep({chance.choice((0.05, 0.5))}); say({number})"
            runs += [enqueued(source) for _ in range(2)]
            time.sleep(chance.uniform(0.3, 1.2))
            if number == ROUNDS // 2:
                workers.connection().flushdb()
            elif victims := worker.family():
                # The worker itself in some rounds, else any process of the sandbox.
                victim = victims[0] if number % 3 == 0 else chance.choice(victims)
                victim.send_signal(signal.SIGKILL)
        assert soon(lambda: worker.family() and all(map(over, runs)), 30), [*map(over, runs)]
    finally:
        worker.close()
    for run in runs:
        ended_truthfully(run)
    _, left = psutil.wait_procs([*worker.seen], timeout=5)
    assert left == []


def over(run: Run) -> bool:
    run.refresh_from_db()
    return run.state in FINAL


def ended_truthfully(run: Run) -> None:
    assert run.lost <= 1
    if run.state == "done":
        assert said(run) == [run.source.partition("say(")[2].rstrip(")")]
    else:
        error = report_of(run).error
        assert error is not None and error.message.startswith(TRUE_REASONS)
