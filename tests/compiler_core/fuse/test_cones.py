"""Which operations are one group before any pair is looked at."""

import pytest

from compiler_core.fuse import groups
from compiler_core.fuse.cones import cones
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import values_of

LIMIT = 64


def found(body, returned):
    """The cones of a graph of f32[4,4], as sets of the ids of their members."""
    lines = "\n".join(f"  {line}" for line in body)
    graph = parse(f"graph g(%0: f32[4,4]) {{\n{lines}\n  return {returned}\n}}\n")
    values = values_of(graph)
    return [sorted(n.id for n in cone) for cone in cones(values, lambda n: n, LIMIT)]


EXP = "%1 = exponential(%0) : f32[4,4]"


def test_what_is_read_by_the_next_alone_is_a_cone():
    chain = [EXP, "%2 = tanh(%1) : f32[4,4]", "%3 = negate(%2) : f32[4,4]"]
    assert found(chain, "%3") == [[1, 2, 3]]


def test_a_value_with_several_readers_belongs_where_all_of_them_do():
    square = [EXP, "%2 = tanh(%1) : f32[4,4]", "%3 = multiply(%1, %2) : f32[4,4]"]
    assert found(square, "%3") == [[1, 2, 3]]


@pytest.mark.parametrize(
    "second, returned",
    [
        ("%2 = tanh(%1) : f32[4,4]", "%1, %2"),  # a result itself
        ("%2 = reduce(%1) {monoid = add, dimensions = (1)} : f32[4]", "%2"),
    ],
)
def test_what_is_needed_elsewhere_is_in_no_cone(second, returned):
    assert found([EXP, second], returned) == []


def test_what_is_read_through_a_view_is_in_no_cone():
    turned = [EXP, "%2 = transpose(%1) {permutation = (1, 0)} : f32[4,4]"]
    assert found([*turned, "%3 = add(%1, %2) : f32[4,4]"], "%3") == []


def chain(count, origin=lambda i: i):
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 4)), "x")
    for i in range(count):
        with b.origin(origin(i)):
            x = b.node("tanh", x)
    return b.graph("chain", [x])


def test_a_cone_has_as_many_captured_operations_as_a_kernel_may():
    values = values_of(chain(2 * LIMIT + 1))
    of_each = cones(values, lambda n: n.origins, LIMIT)
    assert [len(cone) for cone in of_each] == [LIMIT, LIMIT]


def test_the_parts_of_one_captured_operation_stay_together():
    values = values_of(chain(1000, origin=lambda i: i // 300))
    assert [len(cone) for cone in cones(values, lambda n: n.origins, LIMIT)] == [400, 600]


def test_a_chain_is_lowered_once_a_kernel_and_not_once_a_pair(monkeypatch):
    lowered = []

    def counting(name, members, *rest):
        lowered.append(len(members))
        return lower(name, members, *rest)

    lower = groups.lower
    monkeypatch.setattr(groups, "lower", counting)
    fused = fuse(values_of(chain(4 * LIMIT)))
    assert len(fused.groups) == 4
    assert sum(lowered) == 4 * LIMIT
