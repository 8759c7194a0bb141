"""A real Celery worker, Redis and database: what becomes of a queued run."""

import importlib.metadata
import signal
import subprocess
from pathlib import Path

import pytest

from tests import toolchains
from tests.control_groups import handed_over
from tests.worker.celery_worker import (
    PROJECT,
    command,
    ended,
    enqueued,
    environment,
    report_of,
    said,
    soon,
    stand_still,
    state,
    worker,
)
from webapp.runs import events, lifecycle, queue, workers
from webapp.runs.models import Run

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]


VERSION = "import importlib.metadata as m; say(m.version('jax'))"


@pytest.mark.usefixtures("empty_redis")
def test_worker_does_what_it_is_asked(tmp_path: Path) -> None:
    """In one worker, because starting one takes longer than all of this."""
    folder = tmp_path / ".toolchains"
    toolchains.make(folder, "jax-9", jax="9.0.0")
    # One that is not stopped goes on for longer than anybody waits here.
    with worker(DEEDS_TOOLCHAINS=str(folder), FUSELAB_DEADLINE="60"):
        _works(enqueued("say('well')"))
        _crash_is_failed(enqueued("import os; os._exit(3)"))
        _cancelled_is_stopped(enqueued("say('reached'); import time; time.sleep(50)"))
        _all_show_an_ir_before_any_goes_on()
        _delivered_twice_is_done_once(enqueued("say('once')"))
        _toolchain_is_the_one_that_is_named(VERSION)
        _nonsense_is_given_up(enqueued("pass", no_such_option=1))
        (one,) = workers.alive()
        assert one.toolchain["torch"]
    assert workers.alive() == []


def _works(run: Run) -> None:
    assert ended(run) == "done"
    assert said(run) == ["well"]
    assert run.started is not None


def _crash_is_failed(run: Run) -> None:
    assert ended(run) == "failed"
    error = report_of(run).error
    assert error is not None
    assert "exit code 3" in error.message


def _toolchain_is_the_one_that_is_named(source: str) -> None:
    named, other = enqueued(source, toolchain="jax-9"), enqueued(source)
    assert (ended(named), said(named)) == ("done", ["9.0.0"])
    assert (ended(other), said(other)) == ("done", [importlib.metadata.version("jax")])
    # A run is done before its task is taken out of the queue.
    assert soon(lambda: workers.waiting(workers.alive()) == {"cpu": 0, "cuda": 0})


def _nonsense_is_given_up(run: Run) -> None:
    assert ended(run) == "failed"
    error = report_of(run).error
    assert error is not None
    assert "error in the worker" in error.message


def _cancelled_is_stopped(run: Run) -> None:
    assert soon(lambda: events.last_seq(run.pk) >= 2)
    next_one = enqueued("say('taken')")
    lifecycle.cancel(run.pk)
    assert ended(next_one) == "done"
    assert (state(run), said(run)) == ("cancelled", ["reached"])


def _all_show_an_ir_before_any_goes_on() -> None:
    """At one place, and the second is cancelled while it stands still."""
    first = enqueued("import time; time.sleep(0.7); show()")
    # Whoever goes on takes longer than a look at all of them.
    later = "import time; show(); time.sleep(0.5); say({})"
    runs = [first, *(enqueued(later.format(number)) for number in (1, 2, 3))]
    assert soon(lambda: all(has_ir(run) for run in runs))
    assert [said(run) for run in runs[2:]] == [[], []]
    lifecycle.cancel(runs[1].pk)
    assert [ended(run) for run in runs] == ["done", "cancelled", "done", "done"]
    assert [said(run) for run in runs] == [[], [], ["2"], ["3"]]


def has_ir(run: Run) -> bool:
    programs = report_of(run).programs
    return bool(programs and programs[0].stages)


def _delivered_twice_is_done_once(run: Run) -> None:
    assert ended(run) == "done"
    last = events.last_seq(run.pk)
    queue.enqueue(run)
    assert ended(enqueued("pass")) == "done"
    assert events.last_seq(run.pk) == last


@pytest.mark.usefixtures("empty_redis")
def test_killed_workers_run_is_done_by_another() -> None:
    short = {"FUSELAB_DEADLINE": "2", "FUSELAB_WARM_UP": "1"}
    with worker(**short) as first:
        run = enqueued("import time; time.sleep(1); say('whole')")
        assert soon(lambda: events.last_seq(run.pk))
        first.kill()
    with worker(**short):
        assert ended(run, seconds=25) == "done"
    assert said(run) == ["whole"]


@pytest.mark.usefixtures("empty_redis")
def test_a_worker_that_stands_still_loses_its_run_and_the_queue_is_not_lost_with_redis() -> None:
    """In one scene, because starting two workers takes longer than all of this."""
    with worker() as first:
        run = enqueued("import time; time.sleep(1); say('whole')")
        assert soon(lambda: events.last_seq(run.pk))
        stand_still(first)
        waiting = [enqueued(f"say({number})") for number in range(3)]
        workers.connection().flushdb()
        with worker():
            assert ended(run, seconds=25) == "done"
            assert [ended(each) for each in waiting] == ["done"] * 3
            first.send_signal(signal.SIGCONT)
            assert ended(enqueued("say('well')")) == "done"
    run.refresh_from_db()
    assert (run.lost, said(run)) == (1, ["whole"])
    assert [said(each) for each in waiting] == [["0"], ["1"], ["2"]]


@pytest.mark.usefixtures("empty_redis")
def test_stopped_workers_run_goes_back_to_the_queue_at_once() -> None:
    """One that has shown nothing yet, and one that has and stands still."""
    with worker() as first:
        shown = enqueued("show(); import time; time.sleep(3); say('whole')")
        assert soon(lambda: has_ir(shown))
        run = enqueued("import time; time.sleep(3); say('whole')")
        assert soon(lambda: events.last_seq(run.pk))
        first.send_signal(signal.SIGTERM)
        assert first.wait(20) == 0
    assert [state(each) for each in (shown, run)] == ["queued", "queued"]
    assert workers.waiting()["cpu"] == 2
    with worker():
        assert [ended(each) for each in (shown, run)] == ["done", "done"]
    assert [said(each) for each in (shown, run)] == [["whole"], ["whole"]]


@pytest.mark.usefixtures("empty_redis")
def test_each_run_is_in_a_control_group_where_a_folder_of_them_was_handed_over() -> None:
    with handed_over() as folder, worker(FUSELAB_CGROUP=str(folder)):
        run, groups = enqueued("import time; time.sleep(0.5)"), set[str]()

        def ended() -> bool:
            groups.update(each.name for each in folder.iterdir() if each.is_dir())
            return state(run) not in ("queued", "running")

        assert soon(ended)
        assert state(run) == "done"
        assert groups and all(name.startswith("run-") for name in groups)
        # Its own has gone with it; what stands by for the next one is in none before it has a run.
        assert soon(lambda: not any(each.is_dir() for each in folder.iterdir()))


@pytest.mark.usefixtures("empty_redis")
def test_worker_refuses_to_start_where_it_cannot_confine() -> None:
    forbid = 'echo 0 > /proc/sys/user/max_mnt_namespaces; exec "$@"'
    inside = ("unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh")
    tried = subprocess.run(
        (*inside, *command()),
        cwd=PROJECT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert tried.returncode == 1
    assert "this machine does not allow them" in tried.stderr
    assert "Traceback" not in tried.stderr


@pytest.mark.usefixtures("empty_redis")
def test_worker_without_sandbox_refuses_a_page_for_others() -> None:
    tried = subprocess.run(
        command(),
        cwd=PROJECT,
        env=environment(
            FUSELAB_SANDBOX="off-loopback-only", FUSELAB_ALLOWED_HOSTS="localhost,example.org"
        ),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert tried.returncode == 1
    assert "FUSELAB_ALLOWED_HOSTS has example.org" in tried.stderr
