"""Which backends plan a program, by device and by the target that is shown."""

from dataclasses import replace

import pytest
import torch

from compiler_core import report
from compiler_core.backends import registry
from compiler_core.backends.gpu import Gpu
from compiler_core.backends.registry import backends, running
from compiler_core.errors import NoDevice, Unsupported
from compiler_core.schedule.targets import TARGETS


@pytest.fixture
def h100(monkeypatch):
    known = registry.RUNS["cuda"]
    monkeypatch.setitem(
        registry.RUNS, "cuda", replace(known, backend=lambda: Gpu(TARGETS["sm_90"]))
    )


@pytest.fixture
def deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("deterministic")
@pytest.mark.parametrize("target", ["auto", "gfx942"])
def test_what_torch_was_told_holds_for_every_gpu(target):
    assert [b.machine.deterministic for b in backends("cpu", target) if b.name != "cpu"] == [True]


def names(device, target):
    return [(b.name, b.target) for b in backends(device, target)]


@pytest.mark.parametrize("target", TARGETS)
def test_a_cpu_runs_and_a_gpu_is_shown(target):
    assert names("cpu", target) == [("cpu", "cpu"), ("gpu", target)]


def test_a_gpu_that_runs_what_it_shows_plans_once(h100):
    assert names("cuda", "sm_90") == [("gpu", "sm_90")]


def test_without_a_target_only_what_runs_is_planned(h100):
    assert names("cpu", "none") == [("cpu", "cpu")]
    assert names("cuda", "none") == [("gpu", "sm_90")]


def test_plans_of_two_gpus_have_names_of_their_own(h100):
    assert names("cuda", "gfx942") == [("gpu", "sm_90"), ("gpu gfx942", "gfx942")]


def test_the_devices_of_the_options_are_those_of_the_table():
    assert tuple(registry.RUNS) == report.DEVICES[::-1]


def test_a_device_without_a_backend_is_refused():
    with pytest.raises(Unsupported, match="no kernels for tensors on xpu"):
        running("xpu")


def test_a_gpu_that_no_kernel_is_compiled_for_is_refused_in_one_sentence(monkeypatch):
    """Machine code for another would not be taken by it; `auto` does not choose it."""
    monkeypatch.setattr(registry.toolchain, "has_gpu", lambda: True)
    monkeypatch.setattr(registry.toolchain, "gpu", lambda: report.Device("cuda", "NVIDIA T4", 1))
    monkeypatch.setattr(registry, "own_target", lambda: None)
    with pytest.raises(NoDevice, match=r"compiled for sm_80, .*, and NVIDIA T4 is none of these"):
        registry.kind("cuda").describe()
    assert registry.chosen("auto") == "cpu"
