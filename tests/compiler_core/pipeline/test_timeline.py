"""Where the time of a call goes: a lane for each compiler, of one compilation by all of them."""

import textwrap
from collections import Counter

import pytest

from compiler_core import report
from compiler_core.pipeline import timeline
from compiler_core.pipeline.order import explore
from compiler_core.report.timelines import busy_us
from tests.compiler_core.pipeline.mlp import COMPILERS, STAGES, compiled_by_each

pytestmark = pytest.mark.cpu

BROKEN = """
import torch

def f(x):
    y = torch.tanh(x)
    if y.sum() > 0:
        y = y * 2
    return torch.exp(y)

f(torch.randn(64, 32))
"""
LOOP = """
import jax
import jax.numpy as jnp

def f(x, steps):
    return jax.lax.scan(lambda c, s: (jnp.tanh(c + s), None), x, steps)[0]

f(jnp.ones((8,)), jnp.ones((5, 8)))
"""


def ran(source: str, *compilers: report.CompilerChoice, **options) -> report.Program:
    result = report.Report()
    asked = report.Options(compilers=compilers, measure=False, **options)
    explore(
        textwrap.dedent(source), asked, lambda event: report.apply(result, event), stages=STAGES
    )
    (program,) = result.programs
    assert program.error is None
    return program


def lanes_of(program: report.Program) -> dict[str, report.Timeline]:
    return {lane.compiler: lane for lane in program.timelines}


@pytest.fixture(scope="module")
def mlp() -> report.Program:
    return compiled_by_each()


@pytest.fixture(scope="module")
def broken() -> report.Program:
    return ran(BROKEN, "core", "xla", timeline=True)


@pytest.fixture(scope="module")
def loop() -> report.Program:
    return ran(LOOP, "core", timeline=True)


def test_each_compiler_has_a_lane(mlp):
    assert [*lanes_of(mlp)] == ["eager", *COMPILERS]
    for lane in mlp.timelines:
        assert lane.events and lane.about
        assert lane.calls % 2 and lane.total_us > 0 and lane.plain_us > 0


def test_events_are_within_their_call(mlp, broken):
    for lane in (*mlp.timelines, *broken.timelines):
        assert busy_us(lane) <= sum(e.duration_us for e in lane.events)
        assert busy_us(lane) <= lane.total_us
        assert all(e.start_us >= 0 for e in lane.events)
        assert all(e.start_us + e.duration_us <= lane.total_us for e in lane.events)


@pytest.mark.parametrize("name", ["mlp", "broken"])
def test_each_kernel_of_the_plan_runs_as_often_as_it_is_launched(name, request):
    program = request.getfixturevalue(name)
    events = lanes_of(program)["core"].events
    planned = Counter((k.graph, k.id) for k in program.kernels if k.backend == program.backend)
    assert Counter((e.graph, e.kernel) for e in events if e.kernel) == planned


def test_kernels_in_a_loop_run_once_an_iteration(loop):
    counts = Counter(e.kernel for e in lanes_of(loop)["core"].events)
    (inner,) = [k.id for k in loop.kernels if k.backend == "cpu" and k.kind != "scan"]
    assert counts == {inner: 5}


def test_what_jax_does_without_a_compiler_goes_op_by_op(loop):
    (stage,) = [stage for stage in loop.stages if stage.name == "timeline"]
    assert stage.summary.startswith("op by op ")


def test_eager_operations_are_at_their_lines(mlp):
    names = {e.name: (e.line, e.nodes) for e in lanes_of(mlp)["eager"].events}
    ops = {node.op: node.id for node in mlp.nodes}
    assert names["aten.gelu"] == (6, [ops["aten.gelu"]])
    assert names["aten.add"] == (7, [ops["aten.add.Tensor"]])
    assert names["aten.matmul"][0] == 6


def test_inductors_guards_and_kernels_are_seen(mlp):
    events = lanes_of(mlp)["inductor"].events
    kinds = Counter(e.kind for e in events)
    assert kinds["guards"] == 1 and kinds["python"] == 0
    kernels = [e for e in events if e.kind == "kernel"]
    (text,) = [a.text for s in mlp.stages if s.name == "inductor" for a in s.artifacts]
    assert kernels and all(f"        {e.name}(" in text for e in kernels)
    assert {n for e in kernels for n in e.nodes} >= {n.id for n in mlp.nodes if "gelu" in n.op}


def test_xlas_events_are_instructions_of_the_module_of_each_graph(broken):
    lines = {op.id: op.line for op in broken.nodes}
    lane = lanes_of(broken)["xla"]
    of_lines = [lines[n] for each in lane.events for n in each.nodes]
    assert {5, 8} <= {*of_lines} and of_lines.index(5) < of_lines.index(8)
    assert "TorchDynamo's guards" in lane.about


def test_xlas_events_are_instructions_of_its_module(mlp):
    (hlo,) = [a for s in mlp.stages if s.name == "xla" for a in s.artifacts if a.kind == "hlo"]
    for each in lanes_of(mlp)["xla"].events:
        assert f"%{each.name} = " in hlo.text or f" {each.name} = " in hlo.text
        assert each.nodes


def test_between_graphs_there_are_guards_and_python(broken):
    (lane,) = [lane for lane in broken.timelines if lane.compiler == "core"]
    kinds = [e.kind for e in lane.events]
    first, last = kinds.index("kernel"), len(kinds) - kinds[::-1].index("kernel") - 1
    assert {"guards", "python"} <= {*kinds[first:last]}


def test_a_compiler_that_cannot_be_recorded_says_why(monkeypatch):
    def refused(c, runnable, name):
        raise ValueError("no clock")

    monkeypatch.setitem(timeline._LANES, "own", refused)
    program = ran(BROKEN, "core", timeline=True)
    assert [*lanes_of(program)] == ["eager"]
    (stage,) = [s for s in program.stages if s.name == "timeline"]
    assert stage.status == "ok" and "core not recorded: ValueError: no clock" in stage.summary


def test_what_is_not_asked_for_is_not_recorded():
    program = ran(BROKEN, "core")
    assert program.timelines == [] and "timeline" not in [s.name for s in program.stages]
    texts = [a.text for s in program.stages for a in s.artifacts]
    assert not any("clock_gettime" in text for text in texts)
