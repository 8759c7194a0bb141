"""What weighs arithmetic against memory is decided for each target by its own figures."""

import time
from functools import reduce

import msgspec
import pytest

from compiler_core import report
from compiler_core.backends.cpu import Cpu
from compiler_core.backends.gpu import Gpu
from compiler_core.pipeline import explore, stages
from compiler_core.plan.summed import decide
from compiler_core.runtime import blas
from compiler_core.schedule.figures import VARIABLE, recorded
from compiler_core.schedule.targets import TARGETS, CpuTarget

pytestmark = pytest.mark.cpu

# The shared tangent counts as 8 adds, and its difference as one: more than 8 bytes are to a core
# of the processor below, and less than they are to a GPU.
_PROCESSOR = "AuthenticAMD 23 1 2 x2"
SNIPPET = """\
import torch

def f(x):
    h = torch.tanh(x - x.mean(1, keepdim=True))
    return h / h.sum(1, keepdim=True), h.sum(0)

f(torch.randn(256, 128))
"""


@pytest.fixture(autouse=True)
def figures_of_one_processor(monkeypatch):
    """Whatever machine the tests are on, and whatever it was taken for before."""
    monkeypatch.setenv(VARIABLE, msgspec.json.encode(recorded()[_PROCESSOR]).decode())
    blas.own_cpu.cache_clear()
    yield
    blas.own_cpu.cache_clear()


def explored(**options):
    events = []
    explore(SNIPPET, report.Options(measure=False, target="sm_86", **options), events.append)
    (program,) = reduce(report.apply, events, report.Report()).programs
    return program


def test_each_plan_has_what_its_target_computes_again():
    program = explored()
    found = {s.backend: s.changed for s in program.stages if s.name == "recompute-columns"}
    assert found == {"cpu": False, "gpu": True}
    sums = {k.backend: k for k in program.kernels if k.id.startswith("k1_")}
    assert "tanh" not in sums["cpu"].ops and "tanh" in sums["gpu"].ops
    # The copy comes from the same lines, and is a value of the GPU's graph alone.
    assert 1 in sums["gpu"].nodes
    assert set(sums["cpu"].values) < set(sums["gpu"].values)


def test_what_runs_without_the_copy_is_right():
    program = explored()
    assert program.numerics["core"].ok


def test_a_pass_of_a_target_can_be_switched_off():
    off = (report.WithoutPass("recompute-columns"),)
    program = explored(overrides=off)
    found = {s.backend: s.status for s in program.stages if s.name == "recompute-columns"}
    assert found == {"cpu": "skipped", "gpu": "skipped"}
    assert [x.state for x in program.overrides] == ["applied"]


def test_what_deciding_takes_is_in_the_time_of_its_pass(monkeypatch):
    def slowly(*given):
        time.sleep(0.05)
        return decide(*given)

    monkeypatch.setattr(stages, "decide", slowly)
    took = {s.name: s.ms for s in explored().stages if s.backend == "cpu"}
    assert took["sum-products"] >= 50 > took["recompute-columns"]


@pytest.mark.parametrize("target", TARGETS)
def test_a_gpu_fuses_by_the_figures_of_its_data_sheet(target):
    machine = TARGETS[target]
    model = Gpu(machine).model
    assert model.bytes_per_us == pytest.approx(machine.bandwidth * 1e-6)
    assert model.ops_per_us == pytest.approx(machine.f32_flops / 2 * 1e-6)
    assert model.ops_per_byte > Cpu(CpuTarget()).model.ops_per_byte
