"""POST /api/v1/runs, when all is well."""

import base64
import json

import pytest
from django.db import transaction

from compiler_core import report
from tests.webapp.conftest import worker_info
from webapp.runs import queue, workers
from webapp.runs.create import device_queue
from webapp.runs.models import Run

pytestmark = pytest.mark.service
ADDRESS = "/api/v1/runs"


def post(client, source="x = 1", options=None, **more):
    body = {"source": source, **({"options": options} if options is not None else {}), **more}
    return client.post(ADDRESS, json.dumps(body), content_type="application/json")


def queued(server, name="cpu"):
    """The tasks in a queue: (name, arguments)."""
    messages = [json.loads(raw) for raw in server.lrange(name, 0, -1)]
    return [(m["headers"]["task"], json.loads(base64.b64decode(m["body"]))[0]) for m in messages]


def test_it_works(server, alice):
    answer = post(alice, options={"target": "sm_80", "compilers": ["xla", "core", "xla"]})
    assert answer.status_code == 201
    run = Run.objects.get()
    got = answer.json()
    assert (got["id"], got["url"], got["existing"]) == (run.pk, f"/r/{run.pk}", False)
    assert (run.source, run.state, run.queue) == ("x = 1", "queued", "cpu")
    assert run.options["target"] == "sm_80"
    assert run.options["compilers"] == ["core", "xla"]
    assert queued(server) == [("worker.explore", [run.pk, "cpu"])]


def test_the_source_alone_is_enough(server, alice):
    assert post(alice).status_code == 201
    assert Run.objects.get().options["device"] == "auto"


def test_ids_are_long_and_random(server, alice):
    ids = {post(alice).json()["id"] for _ in range(3)}
    assert len(ids) == 3
    assert {len(one) for one in ids} == {24}


def test_the_task_is_sent_only_after_commit(server, run):
    with transaction.atomic():
        queue.enqueue(run)
        assert queued(server) == []
    assert queued(server) == [("worker.explore", [run.pk, "cpu"])]


def test_nothing_is_sent_for_a_run_that_was_rolled_back(server, run):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        queue.enqueue(run)
        raise ZeroDivisionError
    assert queued(server) == []


def test_a_run_for_the_gpu_goes_to_its_queue(server, alice):
    run = post(alice, options={"device": "cuda"}).json()["id"]
    assert queued(server, "cuda") == [("worker.explore", [run, "cuda"])]


@pytest.mark.parametrize(
    ("device", "served", "expected"),
    [
        ("auto", {}, "cpu"),
        ("auto", {"cpu": False}, "cpu"),
        ("auto", {"cpu": False, "cuda": True}, "cuda"),
        ("auto", {"cpu": False, "cuda": False}, "cpu"),
        ("auto", {"cuda": True}, "cuda"),
        ("cpu", {"cpu": False, "cuda": True}, "cpu"),
        ("cpu", {"cuda": True}, "cuda"),
        ("cuda", {}, "cuda"),
        ("cuda", {"cpu": False}, "cpu"),
        ("cuda", {"cpu": False, "cuda": False}, "cuda"),
    ],
)
def test_a_run_goes_to_the_device_asked_for_where_a_worker_serves_it(device, served, expected):
    known = [worker_info(queue, queue, gpu=gpu) for queue, gpu in served.items()]
    assert device_queue(report.Options(device=device), known) == expected


def test_auto_is_the_gpu_of_a_worker_that_serves_both_queues(server, alice):
    workers.beat(worker_info("both", "cpu", "cuda", gpu=True))
    post(alice)
    assert Run.objects.get().queue == "cuda"


def test_a_gpu_whose_worker_does_not_serve_its_queue_is_not_chosen():
    known = [worker_info("w", "cpu", gpu=True)]
    assert device_queue(report.Options(), known) == "cpu"


def test_identical_requests_share_one_run(server, living_worker, alice, bob):
    first = post(alice, options={"compilers": ["xla", "core"]}).json()
    again = post(bob, options={"compilers": ["core", "xla"]})
    assert again.status_code == 201
    assert (again.json()["id"], again.json()["existing"]) == (first["id"], True)
    assert len(queued(server)) == 1


APART = {"type": "forbid", "from": "0.divide", "to": "1.add"}
WITHOUT = {"type": "without", "name": "merge-views"}


def test_what_is_overridden_makes_another_run_in_whatever_order(server, living_worker, alice):
    usual = post(alice).json()["id"]
    first = post(alice, options={"overrides": [APART, WITHOUT]}).json()["id"]
    again = post(alice, options={"overrides": [WITHOUT, APART, APART]}).json()
    assert (again["id"], again["existing"]) == (first, True)
    assert len({usual, first, post(alice, options={"overrides": [APART]}).json()["id"]}) == 3


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_a_run_that_did_not_succeed_is_not_shared(server, living_worker, alice, state):
    first = post(alice).json()["id"]
    Run.objects.update(state=state)
    assert post(alice).json()["id"] != first


def test_fresh_measures_anew(server, living_worker, alice):
    assert post(alice).json()["id"] != post(alice, fresh=True).json()["id"]


def test_other_versions_do_not_share(server, living_worker, alice):
    first = post(alice).json()["id"]
    workers.beat(worker_info(torch="2.14.0"))
    assert post(alice).json()["id"] != first


def test_a_second_equal_worker_changes_nothing(server, living_worker, alice):
    first = post(alice).json()["id"]
    workers.beat(worker_info("w2"))
    assert post(alice).json()["id"] == first
    workers.leave("w1")
    assert post(alice).json()["id"] == first


def test_the_key_does_not_depend_on_which_of_two_different_workers_spoke_last(server, alice):
    old, new = worker_info("w1"), worker_info("w2", torch="2.14.0")
    workers.beat(old)
    workers.beat(new)
    first = post(alice).json()["id"]
    workers.beat(old)
    assert post(alice).json()["id"] == first


def test_a_result_does_not_outlive_the_versions_it_may_come_from(server, alice):
    workers.beat(worker_info("w1"))
    workers.beat(worker_info("w2", torch="2.14.0"))
    both = post(alice).json()["id"]
    workers.leave("w1")
    only_new = post(alice).json()["id"]
    assert only_new != both
    workers.beat(worker_info("w1"))
    assert post(alice).json()["id"] == both


def test_workers_of_the_other_queue_do_not_change_the_key(server, living_worker, alice):
    first = post(alice).json()["id"]
    workers.beat(worker_info("w2", "cuda", torch="2.14.0"))
    assert post(alice).json()["id"] == first


def test_nothing_is_shared_while_the_versions_are_unknown(server, alice):
    assert post(alice).json()["id"] != post(alice).json()["id"]


def test_asking_again_gives_a_run_its_full_time(server, living_worker, alice):
    post(alice)
    first = Run.objects.get().expires
    post(alice)
    assert Run.objects.get().expires > first


def test_a_source_of_any_language_is_kept_as_it_is(server, alice):
    source = "# \u00e9\u4e2d\U0001f600\r\nx = 1\n"
    post(alice, source=source)
    assert Run.objects.get().source == source
