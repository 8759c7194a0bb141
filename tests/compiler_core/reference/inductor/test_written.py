"""The text of what TorchInductor compiles to be timed leads to the snippet's lines."""

import functools
import textwrap

import pytest

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore

pytestmark = pytest.mark.cpu

SNIPPET = """
import torch
import torch.nn.functional as F

@torch.compile
def f(x, b, w):
    y = F.gelu(x + b)
    return torch.softmax(y, -1), (y @ w).relu()

f(torch.randn(8, 32), torch.randn(32), torch.randn(32, 4))
"""

STEP = """
import torch

w = torch.randn(32, 4, requires_grad=True)

@torch.compile
def step(x):
    loss = torch.tanh(x @ w).sum()
    loss.backward()
    return loss

step(torch.randn(8, 32))
"""
STAGES = tuple(stage for stage in PIPELINE if stage.name in ("capture", "reference"))


@functools.cache
def compiled(source: str) -> report.Program:
    result = report.Report()
    asked = report.Options(measure=False, compilers=("inductor",))
    explore(textwrap.dedent(source), asked, lambda e: report.apply(result, e), stages=STAGES)
    (program,) = result.programs
    return program


def texts(program: report.Program) -> list[report.Artifact]:
    (stage,) = (each for each in program.stages if each.name == "inductor")
    return stage.artifacts


def test_a_line_of_a_kernel_or_of_a_call_leads_to_its_operations():
    program = compiled(SNIPPET)
    ops = {node.id: node.op for node in program.nodes}
    (text,) = texts(program)
    told = [*zip(text.text.splitlines(), text.nodes, strict=True)]
    (call,) = (nodes for line, nodes in told if "extern_kernels.mm(" in line)
    assert "aten.mm" in {ops[i] for i in call}
    erf = [nodes for line, nodes in told if ".erf()" in line]
    assert erf and all("aten.gelu" in {ops[i] for i in nodes} for nodes in erf)
    assert not any("kernel path" in line for line, _ in told)
    # What nothing of the program became leads nowhere.
    assert not any(nodes for line, nodes in told if line.startswith("import "))


def test_each_pass_of_a_training_step_has_its_own_operations():
    program = compiled(STEP)
    back = {
        i
        for graph in program.graphs
        if graph.role == "backward"
        for i in graph_nodes(program, graph)
    }
    found = [{i for nodes in text.nodes for i in nodes} for text in texts(program)]
    assert len(found) == 2 and all(found)
    assert not found[0] & back and found[1] <= back


def graph_nodes(program: report.Program, graph: report.Graph) -> list[int]:
    return [node.id for node in program.nodes if node.graph == graph.id]
