"""The cast: Alice who makes runs, Bob who has only the link, and a worker that sends events."""

from collections.abc import Callable, Iterator

import pytest
import redis
from django.test import Client

from compiler_core import report
from tests.webapp.browser import Browser
from webapp.runs import asks, owner, workers
from webapp.runs.models import Run

SOURCE = "# inputs: f32[4]\ndef double(x):\n    return x * 2\n"


@pytest.fixture
def server(redis_url: str, transactional_db: None) -> Iterator[redis.Redis]:
    """Redis, empty, and a database whose transactions are real."""
    client = redis.Redis.from_url(redis_url)
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def alice() -> Client:
    return Browser()


@pytest.fixture
def bob() -> Client:
    return Browser()


@pytest.fixture
def source() -> str:
    return SOURCE


@pytest.fixture
def make_run(transactional_db: None) -> Callable[..., Run]:
    def make(**fields: object) -> Run:
        return Run.objects.create(**{"source": SOURCE, "options": {}, **fields})

    return make


@pytest.fixture
def run(make_run: Callable[..., Run]) -> Run:
    return make_run()


@pytest.fixture
def asked_by(make_run: Callable[..., Run]) -> Callable[..., Run]:
    """A run, a new one if none is given, that a client has asked for."""

    def ask(client: Client, run: Run | None = None) -> Run:
        token = client.cookies.get("fuselab_owner")
        signed = token.value if token else owner.new_token()
        client.cookies["fuselab_owner"] = signed
        asked = run or make_run(owner=owner.digest(signed))
        asks.ask(asked, owner.digest(signed))
        return asked

    return ask


def worker_info(
    name: str = "w1", *queues: str, gpu: bool = False, torch: str = "2.13.0", **toolchains: str
):
    """A worker of the queues given, else of "cpu"; `toolchains` are versions of JAX by name."""
    devices = {"cpu": "Some CPU"} | ({"cuda": "Some GPU"} if gpu else {})
    return workers.WorkerInfo(
        id=name,
        queues=queues or ("cpu",),
        devices=devices,
        toolchain={"torch": torch},
        toolchains={each: {"torch": torch, "jax": jax} for each, jax in toolchains.items()},
    )


@pytest.fixture
def living_worker(server: redis.Redis) -> workers.WorkerInfo:
    worker = worker_info()
    workers.beat(worker)
    return worker


@pytest.fixture
def story() -> list[report.Event]:
    """A short run: one program with one stage and one text."""
    ir = report.Artifact("ir", "captured", "fuselab", "%0 = multiply %x, 2")
    stage = report.Stage("Capture", "ok", 1.5, [ir])
    return [
        report.Started(report.Snippet("", SOURCE), {}, report.Device(), report.Options()),
        report.ProgramFound(0, "double", "torch", report.Entry(2), ["f32[4]"]),
        report.StageDone(0, stage),
        report.Finished("measured twice"),
    ]
