"""XLA opened up, through the real compiler."""

import pytest

from compiler_core import report
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

JAX = """
import jax, jax.numpy as jnp

@jax.jit
def f(x, b):
    h = jnp.tanh(x + b)
    return jax.nn.softmax(h @ h.T, -1).T

f(jnp.ones((8, 16)), jnp.ones(16))
"""
TORCH = """
import torch

@torch.compile
def f(x, b):
    h = torch.tanh(x + b)
    return torch.softmax(h @ h.T, -1).T

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
