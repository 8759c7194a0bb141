"""A program taken elsewhere as StableHLO."""

import numpy as np
import pytest
import torch

from compiler_core.snippet.stablehlo.call import callable_of
from compiler_core.snippet.stablehlo.read import read
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

SNIPPET = """
import torch

def attend(q, k, v):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return torch.softmax(scores, -1) @ v, scores.argmax(-1)

x = torch.linspace(-1, 1, 64).reshape(2, 4, 8)
torch.compile(attend)(x, x.clone(), x.clone())
"""
BREAKS = """
import torch

def f(x):
    y = x.sin()
    print(y.sum().item())
    return y.cos()

torch.compile(f)(torch.ones(4))
"""


def test_what_is_taken_elsewhere_computes_the_same() -> None:
    (program,) = looked(SNIPPET, "stablehlo").programs
    (stage,) = stages_of(program, "stablehlo")
    module = read(stage.artifacts[0].text)
    x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(2, 4, 8)
    got, places = callable_of(module, module.public()[0])(x, x, x)
    t = torch.from_numpy(x)
    scores = t @ t.mT / 8**0.5
    np.testing.assert_allclose(np.asarray(got), torch.softmax(scores, -1) @ t, atol=1e-6)
    np.testing.assert_array_equal(np.asarray(places), scores.argmax(-1))


def test_its_lines_lead_to_the_snippets() -> None:
    (program,) = looked(SNIPPET, "stablehlo").programs
    (stage,) = stages_of(program, "stablehlo")
    line_of = {node.id: node.line for node in program.nodes}
    text, nodes = stage.artifacts[0].text.splitlines(), stage.artifacts[0].nodes
    (at,) = [i for i, line in enumerate(text) if "exponential" in line]
    assert {line_of[node] for node in nodes[at]} == {6}


def test_every_graph_of_a_program_with_breaks_is_a_module_of_its_own() -> None:
    (program,) = looked(BREAKS, "stablehlo").programs
    found = stages_of(program, "stablehlo")
    parts = [graph.id for graph in program.graphs if graph.parent is not None]
    assert [stage.graph for stage in found] == parts and len(parts) >= 2
