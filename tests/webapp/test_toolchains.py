"""A run that names a toolchain: where it goes, what it shares, and what is said of unknown ones."""

import json

import msgspec
import pytest

from tests.webapp.conftest import worker_info
from webapp.runs import workers
from webapp.runs.models import Run

pytestmark = pytest.mark.service


def post(client, **options):
    body = {"source": "x = 1", "options": options}
    return client.post("/api/v1/runs", json.dumps(body), content_type="application/json")


def test_it_goes_to_a_queue_of_workers_that_have_it(server, alice):
    workers.beat(worker_info("w1", "cpu", "cuda", gpu=True))
    workers.beat(worker_info("w2", "cpu", old="0.9.2"))
    assert post(alice, toolchain="old").status_code == 201
    assert Run.objects.get().queue == "cpu"
    assert (server.llen("cpu.old"), server.llen("cpu"), server.llen("cuda")) == (1, 0, 0)
    assert workers.waiting(workers.alive()) == {"cpu": 1, "cuda": 0}


def test_the_permalink_has_its_name(server, alice, bob):
    workers.beat(worker_info(old="0.9.2"))
    found = bob.get(f"/api/v1/runs/{post(alice, toolchain='old').json()['id']}").json()
    assert found["options"]["toolchain"] == "old"


def test_it_is_another_run_than_without_and_than_with_other_versions(server, alice):
    workers.beat(worker_info(old="0.9.2"))
    ids = [post(alice, toolchain=name).json()["id"] for name in ("", "old", "old")]
    assert ids[0] != ids[1] == ids[2]
    workers.beat(worker_info(old="0.9.3"))
    assert post(alice, toolchain="old").json()["id"] != ids[1]
    assert post(alice).json()["id"] == ids[0]


@pytest.mark.parametrize(
    ("there", "remedy"),
    [
        ({"old": "0.9.2", "older": "0.9.1"}, "Choose one of old, older, or none"),
        ({}, "There is none: name none"),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_there_are(server, alice, there, remedy):
    workers.beat(worker_info(**there))
    answer = post(alice, toolchain="new")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["message"] == 'No worker has the toolchain "new".'
    assert error["remedy"] == f"{remedy} for the versions that it has anyway."
    assert error["input"] == "options.toolchain"


def test_what_is_no_name_is_refused(server, alice):
    error = post(alice, toolchain="../etc").json()["error"]
    assert "toolchain cannot be" in error["message"] and "jax-0.9" in error["remedy"]


def test_where_no_worker_lives_a_run_waits_for_one(server, alice):
    assert post(alice, toolchain="old").status_code == 201
    assert server.llen("cpu.old") == 1


def test_those_there_are_are_listed_with_their_versions(server, alice):
    assert alice.get("/api/v1/toolchains").json() == {"toolchains": [], "extras": []}
    workers.beat(worker_info(old="0.9.2"))
    workers.beat(worker_info("w2", older="0.9.1"))
    assert alice.get("/api/v1/toolchains").json()["toolchains"] == [
        {"name": "", "versions": {"torch": "2.13.0"}},
        {"name": "old", "versions": {"torch": "2.13.0", "jax": "0.9.2"}},
        {"name": "older", "versions": {"torch": "2.13.0", "jax": "0.9.1"}},
    ]


def test_the_extras_of_all_workers_are_told(server, alice):
    both = {"iree": {"iree-base-compiler": "3.13.0"}, "tvm": {"apache-tvm": "0.27.0"}}
    workers.beat(msgspec.structs.replace(worker_info("w1"), extras=both))
    workers.beat(worker_info("w2"))
    assert alice.get("/api/v1/toolchains").json()["extras"] == ["iree", "tvm"]
