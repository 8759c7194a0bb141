"""Rows that lie apart are copied, so that neighbours lie side by side."""

import numpy as np
import pytest
import torch

from compiler_core.ir.types import F32
from compiler_core.kernel.effects import Reduce, Store
from compiler_core.kernel.kernel import Compute, Load
from compiler_core.kernel.packing import with_packed_operands
from compiler_core.plan.build import Draft, planned
from compiler_core.plan.steps import KernelStep
from compiler_core.runtime import cpu
from tests.compiler_core.codegen.triton.by_hand import at, build, result, source, tensor
from tests.compiler_core.plans import ON_CPU, run_plan


def distances(points=64, centers=40, depth=12):
    """The squares of the distances of rows of x from rows of c."""
    return build(
        "k0_distances", "row", f"i0:{points} i1:{centers} r0:{depth}",
        [source("x", tensor(F32, points, depth)), source("c", tensor(F32, centers, depth)),
         result("y", tensor(F32, points, centers))],
        [
            Load("v0", F32, "x", at(i0=depth, r0=1), (1,)),
            Load("v1", F32, "c", at(i1=depth, r0=1), (1,)),
            Compute("v2", F32, "subtract", ("v0", "v1"), (2,)),
            Compute("v3", F32, "multiply", ("v2", "v2"), (3,)),
        ],
        [Reduce(("s",), (F32,), "add", ("v3",), (4,))],
        [Store("y", at(i0=centers, i1=1), "s", (4,))],
    )  # fmt: skip


def plan_of(kernel):
    names, types = zip(*((b.name, b.type) for b in kernel.outputs), strict=True)
    draft = Draft(kernel.name, {b.name: b.type for b in kernel.inputs}, names, types)
    return planned(draft, [KernelStep(kernel)], ON_CPU)


def test_what_neighbours_read_apart_is_copied_once():
    copy, reading = with_packed_operands(distances())
    assert [b.name for b in copy.inputs] == ["c"] and copy.kind == "elementwise"
    (copied,) = copy.outputs
    assert copied.type.shape == (12, 40)
    assert {b.name for b in reading.inputs} == {"x", copied.name}


@pytest.mark.parametrize(
    "kernel",
    [distances(centers=4), distances(points=2), distances(centers=4000, depth=400)],
    ids=["few neighbours", "few readers", "more than stays in cache"],
)
def test_nothing_is_copied_for(kernel):
    assert with_packed_operands(kernel) == ()


def test_distances_are_computed_from_the_copy_where_that_costs_less():
    plan = plan_of(distances())
    assert len(plan.launches) == 2
    last = plan.launches[-1]
    assert last.schedule.strategy == "columns"
    assert any("reads" in c.reason or "row at a time" in c.reason for c in last.candidates)
    assert sum(c.chosen for c in last.candidates) == 1


@pytest.mark.cpu
def test_distances_from_the_copy_are_right():
    plan, rng = plan_of(distances()), np.random.default_rng(0)
    x, c = (rng.standard_normal(s).astype(np.float32) for s in ((64, 12), (40, 12)))
    (expected,) = run_plan(plan, [x, c])
    (found,) = cpu.build(plan)([torch.from_numpy(x), torch.from_numpy(c)])
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)
