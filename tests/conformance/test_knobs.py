"""What chance decides instead of the compiler."""

from dataclasses import replace
from zlib import crc32

import pytest
import torch

from compiler_core.backends.gpu import Gpu
from compiler_core.backends.registry import running
from compiler_core.fuse.groups import fuse
from compiler_core.ir import eval_torch
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.parse import parse
from compiler_core.ir.types import F32, TensorType
from compiler_core.pipeline import one_graph
from compiler_core.plan.build import values_of
from compiler_core.schedule.targets import resolve
from conformance import knobs, random_programs
from conformance.judge import judge

pytestmark = pytest.mark.cpu

CHAIN = parse(
    """graph g(%0: f32[64,64]) {
  %1 = tanh(%0) : f32[64,64]
  %2 = exponential(%1) : f32[64,64]
  %3 = negate(%2) : f32[64,64]
  %4 = abs(%3) : f32[64,64]
  return %4
}
"""
)


# A product of no blocks, one side of which is broadcast.
PRODUCT = parse(
    """graph g(%0: f32[1,8], %1: f32[8,0,3]) {
  %2 = broadcast_in_dim(%0) {dimensions = (2, 3)} : f32[7,3,0,8]
  %3 = dot_general(%2, %1) {lhs_batch = (2, 3), rhs_batch = (1, 0), lhs_contract = (1), \
rhs_contract = (2)} : f32[0,8,7]
  return %3
}
"""
)


def cropped_away() -> Graph:
    """A convolution of less than is cropped."""
    b = Builder()
    x, y = (b.parameter(TensorType(F32, shape)) for shape in ((1, 3, 0, 9), (4, 3, 1, 3)))
    return b.graph("f", [b.convolution(x, y, low=(-1, 0), high=(-1, 0))])


def sizes(seed: int | None) -> list[int]:
    with knobs.turned(seed):
        return sorted(len(g.members) for g in fuse(values_of(CHAIN), running("cpu").model).groups)


def seed_of(often: float) -> int:
    return next(s for s in range(99) if knobs.Chance(s).often == often)


def test_without_a_seed_choices_are_the_compilers():
    assert sizes(None) == sizes(seed_of(0.0)) == [4]


def test_no_group_is_formed_in_any_way_where_none_may_be():
    assert sizes(seed_of(1.0)) == [1, 1, 1, 1]


@pytest.mark.parametrize("graph", [PRODUCT, cropped_away()], ids=["product", "convolution"])
@pytest.mark.parametrize("backend", [running("cpu"), Gpu(resolve("sm_90"))], ids=["cpu", "gpu"])
def test_what_is_empty_is_planned_and_run_where_no_pass_has_folded_it(monkeypatch, backend, graph):
    needed = tuple(p for p in one_graph.PASSES if p.needed)
    monkeypatch.setattr(one_graph, "PASSES", needed)
    plan = one_graph.plan_of(graph, backend)
    if backend.name == "cpu":
        given = [torch.ones(x.type.sizes) for x in graph.inputs]
        (result,) = backend.build(backend.emit(plan))(given)
        (exact,) = eval_torch.evaluate(graph, given)
        assert result.shape == exact.shape == graph.outputs[0].type.sizes


def test_a_row_of_one_element_has_no_loop_that_blocks_divide():
    """As where the pass that folds it is off."""
    name = "chosen by chance block 39 16"
    sample = replace(random_programs.sample(name, "torch"), knobs=crc32(name.encode()))
    assert judge(sample).kind == "native"
