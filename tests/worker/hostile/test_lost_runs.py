"""Nothing is stuck and nothing is lost: the database is held against workers and the queue."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from asgiref.testing import ApplicationCommunicator
from django.db import DatabaseError, OperationalError, connection

from compiler_core import report
from tests.databases import locked
from tests.worker.celery_worker import soon
from webapp.runs import events, lifecycle, pulse, queue, reconcile, workers
from webapp.runs.create import create
from webapp.runs.models import Run, RunEvent, State
from webapp.runs.reconcile import MISSING_LOOKS, SILENT_LOOKS, Reconciler
from webapp.runs.wire import NewRun
from worker.persist import NotStored, until_stored

pytestmark = [
    pytest.mark.service,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("empty_redis"),
]

ALIVE = workers.WorkerInfo(id="alive", queues=("cpu",), devices={"cpu": "a CPU"}, toolchain={})


@pytest.fixture
def run() -> Run:
    return Run.objects.create(source="pass", options={})


def begun(run: Run, worker: str = "alive") -> Run:
    started = lifecycle.start(run.pk, worker)
    assert started is not None
    return started


def look(times: int, *by: Reconciler, between: Callable[[], object] = lambda: None) -> None:
    for _ in range(times):
        for reconciler in by:
            reconciler.look()
        between()


def state(run: Run) -> str:
    run.refresh_from_db()
    return run.state


def printed(text: str) -> report.Event:
    return report.Printed("stdout", text)


def test_a_run_whose_worker_falls_silent_waits_again_and_has_a_task(run: Run) -> None:
    first = begun(run)
    look(SILENT_LOOKS + MISSING_LOOKS, Reconciler())
    assert (state(run), workers.tasks("cpu")) == ("queued", [run.pk])
    assert begun(run, "another").attempt == first.attempt + 1


def test_it_is_begun_again_once_and_then_fails_with_the_reason(run: Run) -> None:
    reconciler = Reconciler()
    for _ in range(2):
        begun(run)
        look(SILENT_LOOKS + 1, reconciler)
    assert state(run) == "failed"
    error = events.report_so_far(run.pk).error
    assert error is not None
    assert error.message.startswith("The worker that had the run ended before the run did")
    assert lifecycle.start(run.pk) is None


def test_two_who_look_at_once_begin_it_again_once(run: Run) -> None:
    begun(run)
    look(SILENT_LOOKS + 1, Reconciler(), Reconciler())
    assert (state(run), run.lost) == ("queued", 1)


def test_a_run_that_its_worker_speaks_for_is_left_alone(run: Run) -> None:
    begun(run)
    look(4 * SILENT_LOOKS, Reconciler(), between=lambda: lifecycle.beat("alive", [run.pk]))
    assert (state(run), run.lost) == ("running", 0)


def test_a_worker_speaks_for_its_own_runs_only(run: Run) -> None:
    begun(run)
    look(SILENT_LOOKS + 1, Reconciler(), between=lambda: lifecycle.beat("another", [run.pk]))
    assert state(run) == "queued"


def test_a_worker_that_was_taken_for_dead_changes_nothing_any_more(run: Run) -> None:
    first = begun(run)
    events.append(run.pk, [printed("of the first")], first.attempt)
    look(SILENT_LOOKS + 1, Reconciler())
    own = (run.pk, first.attempt)
    assert lifecycle.unwanted([own]) == {own}
    second = begun(run, "another")
    events.append(run.pk, [printed("late")], first.attempt)
    assert not lifecycle.finish(run.pk, State.FAILED, attempt=first.attempt)
    events.append(run.pk, [printed("of the second")], second.attempt)
    assert events.report_so_far(run.pk).output.stdout == "of the second"
    assert lifecycle.finish(run.pk, State.DONE, attempt=second.attempt)


def test_a_task_that_is_delivered_again_takes_the_run_from_nobody(run: Run) -> None:
    begun(run)
    assert lifecycle.start(run.pk, "another") is None
    assert (state(run), run.worker) == ("running", "alive")


def test_runs_whose_queue_was_lost_are_sent_again_once_each_in_their_order() -> None:
    runs = [Run.objects.create(source="pass", options={}) for _ in range(3)]
    for each in runs:
        queue.enqueue(each)
    workers.connection().flushdb()
    look(4 * MISSING_LOOKS, Reconciler(), Reconciler())
    oldest_first = [*dict.fromkeys(reversed(workers.tasks("cpu")))]
    assert oldest_first == [each.pk for each in runs]
    assert len(workers.tasks("cpu")) <= 2 * len(runs)


def test_a_run_that_waits_with_its_task_is_not_sent_again(run: Run) -> None:
    queue.enqueue(run)
    look(4 * MISSING_LOOKS, Reconciler())
    assert workers.tasks("cpu") == [run.pk]


def test_a_run_that_names_a_toolchain_is_sent_to_where_it_waited() -> None:
    run = Run.objects.create(source="pass", options={"toolchain": "jax-9"})
    look(MISSING_LOOKS, Reconciler())
    assert workers.tasks("cpu.jax-9") == [run.pk]


def test_nobody_is_joined_to_a_run_without_an_owner() -> None:
    workers.beat(ALIVE)
    first, _ = create(NewRun("x = 1"), "one")
    begun(first, "gone")
    second, existing = create(NewRun("x = 1"), "two")
    assert not existing and second.pk != first.pk
    begun(second, ALIVE.id)
    assert create(NewRun("x = 1"), "three") == (second, True)


def test_the_web_looks_as_well_while_it_serves(run: Run, monkeypatch) -> None:
    from webapp.asgi import application

    monkeypatch.setattr(reconcile, "LOOK_SECONDS", 0.02)

    async def serve() -> bool:
        server = ApplicationCommunicator(application, {"type": "lifespan"})
        await server.send_input({"type": "lifespan.startup"})
        assert (await server.receive_output(5))["type"] == "lifespan.startup.complete"
        sent = await asyncio.to_thread(soon, lambda: workers.tasks("cpu"))
        await server.send_input({"type": "lifespan.shutdown"})
        assert (await server.receive_output(5))["type"] == "lifespan.shutdown.complete"
        return sent

    assert asyncio.run(serve())


@pytest.fixture
def impatient() -> Iterator[None]:
    """This connection waits a tenth of a second for another's lock, rather than five."""
    waits = {"sqlite": "PRAGMA busy_timeout = 100", "postgresql": "SET lock_timeout = 100"}
    with connection.cursor() as cursor:
        cursor.execute(waits[connection.vendor])
    yield
    connection.close()


@pytest.mark.usefixtures("impatient")
def test_silence_does_not_count_while_nobody_can_write(run: Run) -> None:
    begun(run)
    reconciler = Reconciler()
    look(SILENT_LOOKS, reconciler)
    for _ in range(2):
        with locked():
            for _ in range(2 * SILENT_LOOKS):
                with pytest.raises(DatabaseError):
                    reconciler.look()
        look(SILENT_LOOKS, reconciler)
        assert (state(run), run.lost) == ("running", 0)
    look(1, reconciler)
    assert state(run) == "queued"


def test_silence_before_a_write_that_waited_does_not_count(run: Run, monkeypatch) -> None:
    begun(run)
    reconciler = Reconciler()
    look(SILENT_LOOKS, reconciler)
    monkeypatch.setattr(pulse, "SLOW_S", 0.0)
    look(1, reconciler)
    monkeypatch.undo()
    look(SILENT_LOOKS - 1, reconciler)
    assert state(run) == "running"


@pytest.mark.usefixtures("impatient")
def test_the_final_state_is_tried_until_a_locked_database_takes_it(run: Run) -> None:
    first = begun(run)
    with ExitStack() as lock:
        lock.enter_context(locked())
        threading.Timer(0.6, lock.pop_all().close).start()
        assert until_stored(
            lambda: lifecycle.finish(run.pk, State.DONE, attempt=first.attempt), lambda: False
        )
    assert state(run) == "done"


@pytest.fixture
def full() -> Iterator[Callable[[], None]]:
    """A disk that is full, as SQLite sees it, until the function is called."""
    if connection.vendor != "sqlite":
        pytest.skip("the tests run on another database")

    def limit(pages: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA max_page_count = {pages}")

    limit(1)
    yield lambda: limit(2**30)
    limit(2**30)


def test_no_event_is_lost_while_the_disk_is_full(
    run: Run, full: Callable[[], None], monkeypatch
) -> None:
    first = begun(run)
    many = [printed("x" * 200_000)]
    tried = iter((False, False, True))

    def attempt() -> int:
        if next(tried):
            full()
        return events.append(run.pk, many, first.attempt)

    monkeypatch.setattr(time, "sleep", lambda _: None)
    assert until_stored(attempt, lambda: False) == 1
    assert RunEvent.objects.count() == 1
    assert state(run) == "running"


def test_a_worker_that_ends_waits_for_no_database() -> None:
    def write() -> None:
        raise OperationalError("it is locked")

    with pytest.raises(NotStored):
        until_stored(write, lambda: True)
