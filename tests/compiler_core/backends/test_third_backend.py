"""A backend that no stage knows: numpy runs every launch, point by point of its meaning."""

from contextlib import nullcontext
from dataclasses import dataclass
from functools import reduce

import pytest
import torch

from compiler_core import report
from compiler_core.backends import registry
from compiler_core.backends.backend import Emitted, Text
from compiler_core.backends.registry import DeviceKind
from compiler_core.codegen.writer import Source
from compiler_core.fuse import cost
from compiler_core.pipeline import explore
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.products import LibrarySchedule
from compiler_core.plan.steps import listing
from tests.compiler_core.plans import run_plan

pytestmark = pytest.mark.cpu

SNIPPET = """\
# inputs: f32[8,16], f32[16], f32[16,4]
import torch

def f(x, b, w):
    return torch.softmax(torch.nn.functional.gelu(x + b) @ w, -1)
"""


class OnNumpy:
    fits = None

    def __call__(self, step):
        return (Launch(step, LibrarySchedule("interpreted", "numpy runs everything")),)

    def inside(self):
        return self


@dataclass(frozen=True)
class Interpreted:
    plan: Plan
    note: str = ""

    def __call__(self, given):
        results = run_plan(self.plan, [x.numpy() for x in given])
        return [torch.from_numpy(x).float() for x in results]


@dataclass(frozen=True)
class Numpy:
    name = "numpy"
    target = "numpy"
    language = "loops"
    compiles_launches = False
    model = cost.CPU
    choose = OnNumpy()

    def emit(self, plan):
        text, nodes = listing(plan.launches)
        return Emitted(plan, (Text(Source(plan.name, "fuselab", text, tuple(nodes)), "numpy"),))

    def build(self, emitted):
        return Interpreted(emitted.plan)

    def compile_launches(self, emitted):
        return ()

    def warm_up(self):
        pass

    def begin(self):
        pass

    def end(self):
        pass

    def floor_us(self, step):
        return 0.0


@pytest.fixture
def program(monkeypatch):
    (found,) = explored(monkeypatch).programs
    return found


def explored(monkeypatch, measure=False):
    """On a device of a kind that nothing else knows, whose tensors are in the CPU's memory."""
    device = DeviceKind(
        Numpy, lambda: report.Device("numpy", "NumPy", 1), lambda: True, memory="cpu"
    )
    monkeypatch.setattr(registry, "RUNS", {"numpy": device, **registry.RUNS})
    events = []
    options = report.Options(device="auto", target="sm_90", measure=measure)
    explore(SNIPPET, options, events.append, lease=lambda device: leased(device, LEASED))
    return reduce(report.apply, events, report.Report())


LEASED = []


def leased(device, devices):
    devices.append(device)
    return nullcontext()


def test_a_third_backend_runs_a_program_through_the_pipeline(program):
    assert program.status == "ok", program.error
    assert program.backend == "numpy"
    assert program.numerics["core"].ok
    assert [s.name for s in program.stages if s.backend == "numpy"] == [
        "fuse", "schedule", "loops", "build", "precision",
    ]  # fmt: skip
    assert {k.schedule.strategy for k in program.kernels if k.backend == "numpy"} == {"interpreted"}


def test_it_brings_its_device_which_auto_takes_and_a_lease_is_asked_for(monkeypatch):
    LEASED.clear()
    result = explored(monkeypatch, measure=True)
    assert (result.device.kind, result.device.name) == ("numpy", "NumPy")
    assert LEASED == ["numpy"] and set(result.programs[0].timings) == {"eager", "core"}


def test_the_target_is_shown_beside_it(program):
    assert {k.backend for k in program.kernels} == {"numpy", "gpu"}
    kinds = {a.kind for s in program.stages if s.backend == "gpu" for a in s.artifacts}
    assert {"loops", "triton", "ptx"} <= kinds
    assert program.summary.launches_core == sum(k.backend == "numpy" for k in program.kernels)
