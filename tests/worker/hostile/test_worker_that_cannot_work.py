"""A fork server that stands still is started again; a worker that cannot work takes no runs and
says why."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.worker.celery_worker import ended, report_of, said, soon
from tests.worker.conftest import INSIDE, LIMITS, perform
from tests.worker.family import stand_still
from webapp.runs import room, workers
from webapp.runs.models import Run
from worker import proof
from worker.config import Config
from worker.sandbox import server as fork_server
from worker.sandbox.server import ForkServer
from worker.service import Service
from worker.under_way import Stopping

pytestmark = [
    pytest.mark.service,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("empty_redis"),
]

CONFIG = Config(
    LIMITS,
    runs=1,
    warm_up_s=20,
    entry="deeds",
    extra=(INSIDE,),
    toolchains=Path("/none"),
    tiny="pass",
)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[ForkServer]:
    """A server that is asked often whether it is there."""
    monkeypatch.setattr(fork_server, "PING_S", 0.1)
    monkeypatch.setattr(fork_server, "PONG_S", 1.0)
    with ForkServer("deeds", extra=(INSIDE,)) as server:
        server.wait()
        yield server


def test_a_server_that_stands_still_is_started_again_and_no_run_is_lost(
    watched: ForkServer,
) -> None:
    stand_still(watched)
    outcome = perform(watched, "say('well')")
    assert (outcome.said, outcome.message) == (["well"], "")
    assert watched.starts == 2


def test_a_server_that_answers_is_left_alone(watched: ForkServer) -> None:
    assert perform(watched, "import time; time.sleep(1.5); say('well')").said == ["well"]
    assert watched.starts == 1


class Scene:
    """A service, and what its doors were told."""

    def __init__(self, config: Config) -> None:
        self.told: list[bool] = []
        self.service = Service(config, ["cpu"], self.told.append)
        self.service.start()

    def close(self) -> None:
        self.service.stop()


def test_a_worker_proves_itself_by_a_tiny_run() -> None:
    with closing(Scene(CONFIG)) as scene:
        assert soon(lambda: scene.service._proof.age_s is not None)
        assert (scene.service._proof.problem, scene.told) == ("", [])


def test_a_worker_whose_runs_do_not_go_through_takes_none_until_one_does(monkeypatch) -> None:
    monkeypatch.setattr(proof, "EVERY_SECONDS", 0.05)
    monkeypatch.setattr(workers, "BEAT_SECONDS", 0.05)
    with closing(Scene(replace(CONFIG, tiny="import os; os._exit(3)"))) as scene:
        assert soon(lambda: scene.told == [False])
        assert soon(lambda: [each.queues for each in workers.alive()] == [()])
        assert "ended itself with exit code 3" in workers.alive()[0].problem
        scene.service._config = CONFIG
        assert soon(lambda: scene.told == [False, True])
        assert soon(lambda: [each.queues for each in workers.alive()] == [("cpu",)])


def test_a_worker_without_room_on_the_disk_takes_no_runs(monkeypatch) -> None:
    monkeypatch.setattr(room, "free_bytes", lambda: 0)
    with closing(Scene(CONFIG)) as scene:
        assert soon(lambda: scene.told == [False])
        assert "less free disk than the 1,024 MiB" in scene.service._proof.problem


def test_a_run_that_has_not_begun_waits_for_the_compiler_and_is_done(monkeypatch) -> None:
    """A compiler that stands still, and then takes a while to start."""
    monkeypatch.setattr(fork_server, "PING_S", 0.1)
    monkeypatch.setattr(fork_server, "PONG_S", 3.0)
    monkeypatch.setattr(fork_server, "_PAUSE_S", (2.0,))
    monkeypatch.setattr(workers, "BEAT_SECONDS", 0.05)
    with closing(Scene(CONFIG)) as scene:
        assert soon(lambda: scene.service._proof.age_s is not None)
        run = Run.objects.create(source="say('well')", options={})
        stand_still(scene.service._servers._own)
        with pytest.raises(Stopping):
            scene.service.take(run.pk)
        run.refresh_from_db()
        assert (run.state, run.lost) == ("queued", 0)
        assert soon(lambda: [each.queues for each in workers.alive()] == [("cpu",)])
        assert soon(lambda: workers.alive()[0].problem == "the compiler is being started again")
        scene.service.take(run.pk)
        assert ended(run) == "done"
        assert (run.attempt, said(run)) == (2, ["well"])
        assert soon(lambda: workers.alive()[0].problem == "")


def test_a_run_says_so_where_the_compiler_fails_to_start_again_and_again(monkeypatch) -> None:
    monkeypatch.setattr(fork_server, "_PAUSE_S", (0.1,))
    with closing(Scene(replace(CONFIG, entry="no_such_module"))) as scene:
        run = Run.objects.create(source="pass", options={})
        for _ in range(fork_server.ATTEMPTS - 1):
            with pytest.raises(Stopping):
                scene.service.take(run.pk)
        scene.service.take(run.pk)
        assert ended(run) == "failed"
        error = report_of(run).error
        assert error is not None
        assert "the compiler failed to start 3 times in a row" in error.message
