"""Whether a worker may go without a sandbox, and how long Redis waits for it."""

from dataclasses import replace

import pytest

from compiler_core import report
from compiler_core.environments import installed
from launcher import commands
from tests import toolchains
from worker.accelerators import ACCELERATORS, Accelerator
from worker.config import Config
from worker.heartbeat import Heartbeat, devices, toolchain
from worker.loopback import loopback_problem
from worker.sandbox import bubblewrap
from worker.sandbox.limits import Limits

LOCAL_REDIS = "redis://:secret@127.0.0.1:6379/0"


@pytest.mark.parametrize("redis", [LOCAL_REDIS, "redis://localhost/0", "unix:///run/redis.sock"])
def test_loopback_is_accepted(redis: str) -> None:
    assert loopback_problem(["localhost", "127.0.0.1", "[::1]"], redis) == ""


@pytest.mark.parametrize(
    ("hosts", "redis", "named"),
    [
        (["localhost", "lab.example.org"], LOCAL_REDIS, "lab.example.org"),
        (["*"], LOCAL_REDIS, "*"),
        (["localhost"], "redis://10.0.0.7:6379/0", "10.0.0.7"),
        (["localhost"], "redis://127.0.0.1.example.org:6379/0", "127.0.0.1.example.org"),
        (["localhost"], "redis://:p@ss@10.0.0.7/0", "10.0.0.7"),
    ],
)
def test_anything_else_is_named(hosts: list[str], redis: str, named: str) -> None:
    problem = loopback_problem(hosts, redis)
    assert named in problem


def test_a_task_is_not_given_away_while_a_worker_may_be_busy_with_it() -> None:
    limits = Limits(deadline_s=60)
    assert Config(limits, runs=2, warm_up_s=60).visibility_s > 60 + 60 + limits.deadline_s


def test_heartbeat_names_the_device_and_the_frameworks() -> None:
    assert set(devices({})) == {"cpu"}
    assert {"python", "torch", "triton", "jax"} <= toolchain().keys()


def test_heartbeat_tells_toolchains_for_runs_from_other_environments(tmp_path) -> None:
    folder = tmp_path / ".toolchains"
    toolchains.make(folder, "jax-9", jax="9.9.9")
    toolchains.make(folder, "iree", iree_base_compiler="3.1")
    worker = Heartbeat(["cpu"], {}, installed(folder)).worker
    assert worker.toolchains == {"jax-9": toolchain() | {"jax": "9.9.9"}}
    assert worker.extras == {"iree": {"iree_base_compiler": "3.1"}}


def test_heartbeat_says_that_a_worker_has_a_gpu() -> None:
    worker = Heartbeat(["cpu", "cuda"], ACCELERATORS, {}).worker
    assert worker.has("cuda") and not worker.has("another")
    assert set(worker.devices) == {"cpu", "cuda"}


def test_a_sandbox_is_given_the_files_of_an_accelerator_and_a_heartbeat_its_name(tmp_path) -> None:
    for name in ("npu0", "npu_control"):
        (tmp_path / name).touch()
    (tmp_path / "model").write_text("Model:  NPU 1\n")
    root = str(tmp_path).lstrip("/")
    one = Accelerator(f"{root}/npu[0-9]*", f"{root}/npu*", (), f"{root}/model", "an NPU")
    assert one.is_there and devices({"npu": one})["npu"] == "NPU 1"
    given = bubblewrap.arguments((one,), namespace=None)
    bound = [given[i + 1] for i, word in enumerate(given) if word == "--dev-bind"]
    assert bound == [str(tmp_path / "npu0"), str(tmp_path / "npu_control")]
    assert not replace(one, present=f"{root}/none").is_there


def test_each_kind_of_accelerator_has_a_queue() -> None:
    assert {"cpu", *ACCELERATORS} == set(report.DEVICES) == set(commands.QUEUES)


def test_each_worker_has_an_id_of_its_own() -> None:
    ids = {Heartbeat(["cpu"], {}, {}).worker.id for _ in range(8)}
    assert len(ids) == 8
