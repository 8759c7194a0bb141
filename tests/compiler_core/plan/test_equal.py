"""Which launches are equal, and what the lines of their text come from."""

import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.equal import classes, first_of_each, united
from tests.compiler_core.plans import ON_CPU, ON_GPU

BLOCK = 3


def blocks(count, width=16):
    """tanh(x @ w) again and again, each with a weight of its own; block i is of the captured
    operations 3 i and 3 i + 1."""
    b = Builder()
    x = b.parameter(TensorType(F32, (8, width)), "x")
    weights = [b.parameter(TensorType(F32, (width, width)), f"w{i}") for i in range(count)]
    for i, w in enumerate(weights):
        with b.origin(BLOCK * i):
            x = b.dot_general(x, w, contract=((1,), (0,)))
        with b.origin(BLOCK * i + 1):
            x = b.node("tanh", x)
    return b.graph("blocks", [x])


def planned(graph, choose):
    return build_plan(fuse(values_of(graph)), choose)


def text(*lines, returned):
    body = "\n".join(f"  {line}" for line in lines)
    return parse(f"graph g(%0: f32[64], %1: f32[64]) {{\n{body}\n  return {returned}\n}}\n")


def sizes(graph):
    """How many launches each class has."""
    return [len(each) for each in classes(planned(graph, ON_CPU).walk())]


@pytest.mark.parametrize("choose", [ON_CPU, ON_GPU], ids=["cpu", "gpu"])
def test_blocks_with_weights_of_their_own_are_equal(choose):
    plan = planned(blocks(12), choose)
    in_one = len(plan.launches) // 12
    assert [len(each) for each in classes(plan.walk())] == [12] * in_one


def test_the_first_of_each_is_named():
    plan = planned(blocks(2), ON_GPU)
    first = first_of_each(plan.walk())
    names = [launch.step.name for launch in plan.launches]
    assert [first[name] for name in names] == names[: len(names) // 2] * 2


RETURNED = "%2, %3"


@pytest.mark.parametrize(
    "one, other",
    [
        ("%2 = reduce(%0) {monoid = add, dimensions = (0)} : f32[]",
         "%3 = reduce(%1) {monoid = maximum, dimensions = (0)} : f32[]"),
        ("%2 = constant() {value = 0.0} : f32[64]", "%3 = constant() {value = -0.0} : f32[64]"),
        ("%2 = constant() {value = 1.0} : f32[64]", "%3 = constant() {value = 1.0} : f32[32]"),
    ],
    ids=["operations", "zeros", "sizes"],
)  # fmt: skip
def test_launches_that_do_something_else_are_not_equal(one, other):
    assert set(sizes(text(one, other, returned=RETURNED))) == {1}


def test_a_buffer_twice_is_not_two_buffers():
    # Each result has a launch of its own, for the next begins when its total is known.
    total = "reduce({}) {{monoid = add, dimensions = (0)}} : f32[]"
    spread = "broadcast_in_dim({}) {{dimensions = ()}} : f32[64]"
    graph = text(
        "%2 = add(%0, %0) : f32[64]", f"%3 = {total.format('%2')}", f"%4 = {spread.format('%3')}",
        "%5 = add(%4, %1) : f32[64]", f"%6 = {total.format('%5')}", f"%7 = {spread.format('%6')}",
        "%8 = add(%7, %7) : f32[64]", returned="%8",
    )  # fmt: skip
    assert set(sizes(graph)) == {1}


@pytest.mark.parametrize("choose", [ON_CPU, ON_GPU], ids=["cpu", "gpu"])
def test_a_line_comes_from_its_like_in_every_block(choose):
    equal = classes(planned(blocks(3), choose).walk())[0]
    own = equal[0].launch.step.origins
    (found,) = united([own], equal)
    assert found == tuple(sorted(BLOCK * block + o for block in range(3) for o in own))
    assert united([own[:1]], equal) == (tuple(own[0] + BLOCK * i for i in range(3)),)
