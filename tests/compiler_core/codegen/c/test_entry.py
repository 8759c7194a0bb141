"""The function that runs a program's launches in order."""

import numpy as np
import pytest
import torch

from compiler_core.backends.cpu import Cpu
from compiler_core.codegen.c import emit
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir import eval_numpy
from compiler_core.ir.parse import parse
from compiler_core.plan.build import build_plan, values_of

pytestmark = pytest.mark.cpu

TWO_LAYERS = """
graph layers(%0: f32[8,16], %1: f32[16,16]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (1), rhs_contract = (0)} : f32[8,16]
  %3 = tanh(%2) : f32[8,16]
  %4 = dot_general(%3, %1) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (1), rhs_contract = (0)} : f32[8,16]
  %5 = exponential(%4) : f32[8,16]
  return %5
}"""


@pytest.mark.parametrize("most", [1, 3, 256])
def test_a_long_program_is_called_in_parts(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emit, "_PART", most)
    graph, backend = parse(TWO_LAYERS), Cpu()
    plan = build_plan(fuse(values_of(graph), cost.CPU), backend.choose)
    emitted = backend.emit(plan)
    (text,) = emitted.texts
    count = len(plan.launches)
    parts = -(-count // most) if most < count else 0
    assert text.source.text.count("void run0_part") == parts
    random = np.random.default_rng(0)
    inputs = [random.standard_normal(x.type.shape).astype(np.float32) for x in graph.inputs]
    (found,) = backend.build(emitted)([torch.from_numpy(x) for x in inputs])
    (wanted,) = eval_numpy.evaluate(graph, inputs)
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-5)
