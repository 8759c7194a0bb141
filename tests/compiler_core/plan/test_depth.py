"""Deep programs: nothing calls itself once for each operation that stands behind another."""

import inspect
import sys
from contextlib import contextmanager

import jax.numpy as jnp
import pytest
import torch

from compiler_core.backends.registry import backends
from compiler_core.capture import capture
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text
from compiler_core.ir.types import F32, TensorType
from compiler_core.passes.order import PASSES
from compiler_core.passes.recording import run_pass
from compiler_core.plan.build import build_plan, values_of
from compiler_core.snippet.program import FoundProgram

# Operations in a row, and calls that may be under way: the frameworks' own need about 150.
DEPTH, CALLS = 120, 60
CALLS_OF_FRAMEWORKS = 250


@contextmanager
def calls_at_most(count):
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + count)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def tanh(b, x):
    return b.node("tanh", x)


def turned(b, x):
    return b.node("tanh", b.node("transpose", x, permutation=(1, 0)))


def moved(b, x):
    """Each element is the one before it, and the first none."""
    first = b.node("slice", x, start=(0, 0), limit=(3, 4), strides=(1, 1))
    zero = b.scalar(0.0, F32)
    return b.node("pad", first, zero, low=(1, 0), high=(0, 0), interior=(0, 0))


def centered(b, x):
    total = b.reduce(x, "add", (1,))
    return b.node("subtract", x, b.broadcast_in_dim(total, (4, 4), (0,)))


def repeated(step, of_one):
    """A graph of f32[4,4] with `step` in a row; `of_one` such are one captured operation."""
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 4)), "x")
    for i in range(DEPTH):
        with b.origin(i // of_one):
            x = step(b, x)
    return b.graph("deep", [x])


@pytest.mark.parametrize(
    "step, of_one",
    [(tanh, 1), (tanh, DEPTH), (turned, DEPTH), (moved, 1), (centered, 1)],
)
def test_a_deep_graph_becomes_kernels_with_few_calls_under_way(step, of_one):
    graph, kinds = repeated(step, of_one), backends("cpu", "sm_90")
    small = parse(to_text(_small(step)))
    for each in kinds:  # what is loaded when it is first needed
        each.emit(build_plan(fuse(values_of(small), each.model), each.choose))
    with calls_at_most(CALLS):
        for each in PASSES:
            graph, _ = run_pass(graph, each)
        for kind in kinds:
            plan = build_plan(fuse(values_of(graph), kind.model), kind.choose)
            kind.emit(plan)
        assert to_text(parse(to_text(graph))) == to_text(graph)


def _small(step):
    b = Builder()
    return b.graph("small", [step(b, b.parameter(TensorType(F32, (4, 4)), "x"))])


def of_torch(x):
    for _ in range(DEPTH):
        x = torch.tanh(x)
    return x


def of_jax(x):
    for _ in range(DEPTH):
        x = jnp.tanh(x)
    return x


@pytest.mark.parametrize(
    "framework, program, given", [("torch", of_torch, torch.ones(4)), ("jax", of_jax, jnp.ones(4))]
)
def test_a_deep_program_is_captured_with_few_calls_under_way(framework, program, given):
    found = FoundProgram("deep", framework, 1, program, (given,))
    capture(FoundProgram("once", framework, 1, lambda x: program(x) * 2, (given,)))
    with calls_at_most(CALLS_OF_FRAMEWORKS):
        assert len(capture(found).nodes) == DEPTH
