"""A backend that no stage knows: numpy runs every launch, point by point of its meaning."""

import ast
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
import torch

from compiler_core import pipeline, report
from compiler_core.backends import registry
from compiler_core.backends.backend import Emitted, Text
from compiler_core.backends.registry import DeviceKind
from compiler_core.codegen.writer import Source
from compiler_core.fuse import cost
from compiler_core.interop.arrays import to_torch
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.measure.rest import no_rest
from compiler_core.pipeline import explore, tf32
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.steps import listing
from compiler_core.plan.within import scope_of
from compiler_core.schedule.choice import Candidate, Option, cheapest
from tests.compiler_core.capture.oracle import captured
from tests.compiler_core.plans import run_plan

pytestmark = pytest.mark.cpu

SNIPPET = """\
# inputs: f32[8,16], f32[16], f32[16,4]
import torch

def f(x, b, w):
    return torch.softmax(torch.nn.functional.gelu(x + b) @ w, -1)
"""
TRAINING = """\
# inputs: f32[8,6], f32[8,2]
import torch
from torch import nn
model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2))
optimizer = torch.optim.AdamW(model.parameters())

def step(x, y):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss
"""
RECURRENT = """\
import jax
import jax.numpy as jnp

@jax.jit
def f(h, xs, w):
    def step(h, x):
        h = jnp.tanh(x + h @ w)
        return h, h.sum(-1)
    return jax.lax.scan(step, h, xs)

f(jnp.ones((3, 4)), jnp.linspace(-1, 1, 60).reshape(5, 3, 4), jnp.eye(4) / 2)
"""


@dataclass(frozen=True)
class Way:
    """A schedule of its own, with a parameter that may be set by hand."""

    pieces: int = 1
    strategy = "interpreted"
    reason = "numpy runs everything"

    @property
    def parameters(self):
        return {"pieces": self.pieces}

    def varied(self, values):
        return Way(**values)


class OnNumpy:
    fits = None

    def __call__(self, step):
        free = {"pieces": (1, 2)}
        candidate = Candidate(Way.strategy, Way.reason, 1.0, Way().parameters, free=free)
        way, candidates = cheapest([Option(candidate, Way())], scope_of(step))
        return (Launch(step, way, candidates, 1.0),)

    def inside(self):
        return self

    def arranged(self, launches, over):
        return launches


@dataclass(frozen=True)
class Interpreted:
    plan: Plan
    note: str = ""

    def __call__(self, given):
        plan = self.plan
        results = [
            torch.from_numpy(np.array(x)).to(TORCH[type_.dtype.name])
            for x, type_ in zip(
                run_plan(plan, [to_torch(x).detach().numpy() for x in given]),
                plan.output_types,
                strict=True,
            )
        ]
        for name, result in zip(plan.outputs, results, strict=True):
            if name in plan.over:
                given[plan.inputs.index(plan.over[name])].detach().copy_(result)
        return results


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


def explored(monkeypatch, measure=False, source=SNIPPET, **given):
    """On a device of a kind that nothing else knows, whose tensors are in the CPU's memory."""
    device = DeviceKind(
        Numpy, lambda: report.Device("numpy", "NumPy", 1), lambda: True, memory="cpu"
    )
    monkeypatch.setattr(registry, "RUNS", {"numpy": device, **registry.RUNS})
    events = []
    options = report.Options(device="auto", target="sm_90", measure=measure, **given)
    explore(source, options, events.append, lease=lambda device: leased(device, LEASED))
    return reduce(report.apply, events, report.Report())


LEASED = []


def leased(device, devices):
    devices.append(device)
    return nullcontext(no_rest)


def test_a_third_backend_runs_a_program_through_the_pipeline(program):
    assert program.status == "ok", program.error
    assert program.backend == "numpy"
    assert program.numerics["core"].ok
    assert [s.name for s in program.stages if s.backend == "numpy"] == [
        "sum-products", "recompute-columns", "fuse", "schedule", "loops", "build", "precision",
    ]  # fmt: skip
    assert {k.schedule.strategy for k in program.kernels if k.backend == "numpy"} == {"interpreted"}


@pytest.mark.parametrize(
    ("source", "graphs", "kinds"),
    [
        (TRAINING, ["whole", "forward", "backward", "piece"], {"matmul", "elementwise"}),
        (RECURRENT, ["whole", "body"], {"scan"}),
    ],
    ids=["training step", "recurrent network"],
)
def test_it_runs_programs_of_several_graphs_and_of_loops(monkeypatch, source, graphs, kinds):
    (found,) = explored(monkeypatch, source=source).programs
    assert found.status == "ok", found.error
    assert [g.role for g in found.graphs] == graphs
    assert found.numerics["core"].ok and found.backend == "numpy"
    assert {k.kind for k in found.kernels if k.backend == "numpy"} >= kinds


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


def test_its_schedules_are_varied_as_all_others(monkeypatch):
    wanted = report.WantedSchedule("k0_add_multiply_erf", "interpreted", {"pieces": 2})
    (found,) = explored(monkeypatch, overrides=(wanted,)).programs
    assert [(x.state, x.reason) for x in found.overrides] == [("applied", "")]
    (kernel,) = [k for k in found.kernels if k.id == wanted.kernel and k.backend == "numpy"]
    assert kernel.schedule.parameters == {"pieces": 2}


@pytest.mark.parametrize(("memory", "said"), [("cpu", True), ("meta", False)])
def test_where_its_tensors_are_says_whether_the_host_waits(monkeypatch, memory, said):
    device = DeviceKind(Numpy, lambda: report.Device("numpy", "NumPy", 1), lambda: True, memory)
    monkeypatch.setitem(registry.RUNS, "numpy", device)
    assert registry.kind("numpy").is_host is said


def test_it_says_itself_whether_frameworks_multiply_coarsely_on_it(monkeypatch):
    program = captured("jax", lambda x, w: x @ w, *(np.ones((4, 4), np.float32),) * 2)
    device = DeviceKind(Numpy, lambda: report.Device("numpy", "NumPy", 1), lambda: True, "cpu")
    for in_tf32, said in ((False, ""), (True, "products of f32 in TF32")):
        found = replace(device, in_tf32=in_tf32)
        monkeypatch.setitem(registry.RUNS, "numpy", found)
        assert said in tf32.in_tf32(program, "jax", "numpy")
        assert bool(said) is bool(tf32.in_tf32(program, "jax", "numpy"))


# What torch calls the host, in a table of its methods.
_OF_TORCH = {("host_syncs.py", "cpu")}


def test_no_stage_names_a_backend_or_a_device():
    rooms = sorted(Path(pipeline.__file__).parent.glob("*.py"))
    found = {
        (path.name, node.value)
        for path in rooms
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in ("cpu", "gpu", "cuda")
    }
    assert found == _OF_TORCH
