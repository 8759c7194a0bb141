"""XLA opened up, through the real compiler."""

import shutil

import pytest

from compiler_core import report
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

JAX = """
import jax, jax.numpy as jnp

@jax.jit
def f(x, b):
    h = jnp.tanh(x + b)
    return jax.nn.softmax(h @ h.T, -1), h.T

f(jnp.ones((8, 16)), jnp.ones(16))
"""
TORCH = """
import torch

@torch.compile
def f(x, b):
    h = torch.tanh(x + b)
    return torch.softmax(h @ h.T, -1), h.T

f(torch.ones((8, 16)), torch.ones(16))
"""


@pytest.fixture(scope="module", params=[JAX, TORCH], ids=["jax", "torch"])
def program(request) -> report.Program:
    (found,) = looked(request.param, "xla").programs
    return found


def test_a_pass_that_changed_the_module_is_a_stage_under_its_pipeline(program) -> None:
    stages = stages_of(program, "xla")
    names = {stage.name for stage in stages}
    passes = [s for s in stages if [a.name for a in s.artifacts] == ["before", "after"]]
    assert len(passes) >= 3
    for stage in passes:
        before, after = stage.artifacts
        assert before.text != after.text
        assert before.text.startswith("HloModule") and after.text.startswith("HloModule")
        assert stage.parent in names | {""}


def test_every_pass_is_listed_with_its_runs_and_time_also_those_that_changed_nothing(
    program,
) -> None:
    stage, *_ = [s for s in stages_of(program, "xla") if s.name == "passes"]
    (table,) = stage.tables
    rows = {tuple(row.cells[:2]): row.cells[2:] for row in table.rows}
    assert len(rows) == len(table.rows) > 50
    assert all(runs >= changed >= 0 and ms >= 0 for runs, changed, ms, _ in rows.values())
    sides = ["before", "after"]
    passes = [s for s in stages_of(program, "xla") if [a.name for a in s.artifacts] == sides]
    shown = [s for s in passes if s.parent]
    # A pipeline that ran another one has its change, too, and is no pass.
    assert 0 < sum(changed for _, changed, *_ in rows.values()) <= len(shown)
    assert "simplification" not in {name for _, name in rows}
    assert stage.summary.endswith("changed nothing")


def test_the_texts_lead_back_to_the_captured_operations(program: report.Program) -> None:
    lines = {op.id: op.line for op in program.nodes}
    stages = {stage.name: stage for stage in stages_of(program, "xla")}
    for stage in (stages["stablehlo"], stages["fusion"]):
        for text in stage.artifacts:
            assert {lines[n] for n in lines_with("tanh(", "stablehlo.tanh ", text)} == {6}
            assert {lines[n] for n in lines_with("dot(", "dot_general ", text)} == {7}


def lines_with(hlo: str, stablehlo: str, text: report.Artifact) -> set[int]:
    """The operations of the lines with one of two words."""
    shown = zip(text.text.splitlines(), text.nodes, strict=True)
    return {n for line, ids in shown if hlo in line or stablehlo in line for n in ids}


def test_the_compiled_module_is_shown_with_what_it_costs_where_it_lies_and_how_it_runs(
    program: report.Program,
) -> None:
    stages = {stage.name: stage for stage in stages_of(program, "xla")}
    costs = stages["fusions"].tables[0].rows
    assert sum(row.cells[4] for row in costs) > 2 * 8 * 8 * 16  # the product's, and more
    assert all(row.nodes for row in costs)
    alive = [row.cells[-2:] for row in stages["buffers"].tables[0].rows]
    assert all(first <= last for first, last in alive if first is not None)
    plan = [b for b in program.buffers if b.compiler == "xla"]
    assert {b.offset is None for b in plan} == {True, False} and all(
        b.last >= b.first for b in plan
    )
    run = stages["thunks"].tables[0].rows
    assert {row.cells[1] for row in run} >= {"kernel"}
    made = {row.cells[3] for row in run} - {None}
    shown = {a.kernel for s in stages.values() if s.parent == "kernels" for a in s.artifacts}
    assert made and made <= shown


def test_edges_of_captured_operations_are_fused_or_not(program: report.Program) -> None:
    ids = {op.id for op in program.nodes}
    decisions = program.fusion_decisions
    assert {d.fused for d in decisions} == {True, False}
    assert all(d.compiler == "xla" and d.reason for d in decisions)
    assert all({*d.from_nodes, *d.to_nodes} <= ids for d in decisions)


def test_what_is_returned_transposed_is_copied(program: report.Program) -> None:
    (copy,) = (f for f in program.findings if f.kind == "layout copy")
    assert copy.line == 7 and copy.bytes == 2 * 16 * 8 * 4


def test_each_kernel_has_its_assembly_where_there_is_an_objdump(program: report.Program) -> None:
    kernels = [s for s in stages_of(program, "xla") if s.parent == "kernels"]
    wanted = {"before", "after", *(["assembly"] if shutil.which("objdump") else [])}
    assert kernels and all({a.name for a in k.artifacts} == wanted for k in kernels)


TRAINING = """
import torch

layer = torch.nn.Linear(16, 4)
optimizer = torch.optim.SGD(layer.parameters(), 0.1)

def step(x):
    optimizer.zero_grad()
    loss = torch.tanh(layer(x)).square().mean()
    loss.backward()
    optimizer.step()
    return loss

step(torch.ones(8, 16))
"""


def test_each_graph_of_a_training_step_is_opened_up_by_itself() -> None:
    (program,) = looked(TRAINING, "xla").programs
    stages = stages_of(program, "xla")
    graphs = {graph.id: graph.name for graph in program.graphs if graph.role != "whole"}
    assert {stage.graph for stage in stages} == {*graphs} and len(graphs) == 3
    lines = {op.id: op.line for op in program.nodes}
    for graph, name in graphs.items():
        own = {s.name: s for s in stages if s.graph == graph}
        assert own["stablehlo"].parent == own["thunks"].parent == name and not own[name].parent
        nodes = {n for ids in own["fusion"].artifacts[-1].nodes for n in ids}
        assert nodes <= {op.id for op in program.nodes if op.graph == graph} and nodes
    (forward,) = (s for s in stages if s.name == "stablehlo" and s.graph.startswith("forward"))
    assert {lines[n] for n in lines_with("tanh(", "stablehlo.tanh ", forward.artifacts[0])} == {9}
    assert {d.graph for d in program.fusion_decisions} <= {*graphs}
    assert {b.graph for b in program.buffers} == {*graphs}
    (figures,) = (c for c in program.compilers if c.compiler == "xla")
    assert figures.graphs.value == 3 and figures.launches.value >= 3
