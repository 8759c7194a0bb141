"""A machine's own GPU is planned for with its own figures."""

import os
from types import SimpleNamespace
from typing import Any

import pytest

from compiler_core.schedule import own_gpu, targets

_UNIT = {"nvmlDeviceGetHandleByUUID": lambda uuid: uuid}


def nvml(**own: Any) -> SimpleNamespace:
    """The management library of a machine with one H200, as it answered there."""
    return SimpleNamespace(
        NVML_CLOCK_SM=1,
        NVML_CLOCK_MEM=2,
        nvmlDeviceGetCount=lambda: 1,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetName=lambda handle: "NVIDIA H200",
        nvmlDeviceGetCudaComputeCapability=lambda handle: (9, 0),
        nvmlDeviceGetNumGpuCores=lambda handle: 16896,
        nvmlDeviceGetMemoryBusWidth=lambda handle: 6016,
        nvmlDeviceGetMaxClockInfo=lambda handle, which: {1: 1980, 2: 3201}[which],
        **_UNIT | own,
    )


def test_its_bandwidth_and_rate_are_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    found = own_gpu._described(nvml())
    assert found is not None
    assert (found.name, found.name_of_target, found.processors) == ("NVIDIA H200", "sm_90", 132)
    assert found.bandwidth == pytest.approx(4.81e12, rel=0.01)
    assert found.f32_flops == pytest.approx(66.9e12, rel=0.01)


@pytest.mark.parametrize(
    ("named", "handle"), [("1,0", 1), ("GPU-741f", "GPU-741f"), ("", None), ("-1", None)]
)
def test_it_is_the_first_that_cuda_would_use(
    named: str, handle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "CUDA_VISIBLE_DEVICES", named)
    assert own_gpu._first(nvml()) == handle


def test_auto_and_its_name_are_planned_by_its_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    own = own_gpu.OwnGpu("NVIDIA H200", 90, 132, 4.8e12, 66.9e12)
    monkeypatch.setattr(targets, "own_gpu", lambda: own)
    for name in ("auto", "sm_90"):
        assert targets.resolve(name).device == "NVIDIA H200"
        assert targets.resolve(name).bandwidth == 4.8e12
    assert targets.resolve("sm_80").device == "NVIDIA A100 80GB"


def test_one_that_the_table_lacks_is_planned_for_as_the_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = own_gpu.OwnGpu("NVIDIA T4", 75, 40, 3.2e11, 8.1e12)
    monkeypatch.setattr(targets, "own_gpu", lambda: own)
    assert targets.own_target() is None
    assert targets.resolve("auto").name == targets.DEFAULT
