"""Operations with several results and with regions: text, identity, the verifier."""

import pytest

from compiler_core.errors import VerifyError
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Operation
from compiler_core.ir.library import Callee
from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text, with_line_map
from compiler_core.ir.types import F32, TensorType

NESTED = """\
graph f(%0: f32[4]) {
  %1, %2 = pair(%0) {depth = 1} body(%3: f32[4], %4: f32[4]) {
    %5 = add(%3, %4) : f32[4]
    return %5
  } other() {
    return
  } : f32[4], f32[]
  return %2, %1
}
"""


def test_regions_and_several_results_print_as_they_are_read():
    assert to_text(parse(NESTED)) == NESTED


def test_a_nested_line_knows_its_captured_operation_and_its_value():
    graph = parse(NESTED)
    inner = graph.operations[0].regions[0].operations[0]
    object.__setattr__(inner, "origins", (7,))
    assert with_line_map(graph)[1][2] == [~5, 7]


def test_the_results_of_an_operation_are_numbered_in_a_row():
    operation = parse(NESTED).operations[0]
    assert [(x.id, x.index) for x in operation.results] == [(1, 0), (2, 1)]
    with pytest.raises(VerifyError, match="numbered in a row"):
        parse(NESTED.replace("%1, %2 = pair", "%1, %6 = pair"))


def test_a_region_uses_no_value_from_outside():
    with pytest.raises(VerifyError, match="%0 is not defined above it"):
        parse(NESTED.replace("add(%3, %4)", "add(%3, %0)"))


def test_new_ids_are_above_those_of_nested_regions():
    assert parse(NESTED).next_id == 6


def test_a_region_is_built_with_arguments_of_its_own():
    b = Builder()
    x = b.parameter(TensorType(F32, (4,)))
    region = b.region("body", [x.type], lambda a: [b.node("tanh", a)])
    assert [str(v) for v in region.inputs] == ["%1"] and region.operations[0].op == "tanh"
    assert b.inputs == [x]


def test_walk_gives_inner_operations_first():
    operation = parse(NESTED).operations[0]
    names = [o.op for o in parse(NESTED).walk()]
    assert isinstance(operation, Operation) and names == ["add", "pair"]


def test_what_is_drawn_keeps_its_order_whoever_reads_it_first():
    drawing = Callee("draw", "torch", draws_random_numbers=True)
    b = Builder()
    x = b.parameter(TensorType(F32, (4,)))
    first, second = (b.library_call(drawing, [x], [x.type])[0] for _ in range(2))
    graph = b.graph("f", [b.node("subtract", b.node("tanh", second), first)])
    assert [o.id for o in graph.operations if o.op == "library_call"] == [first.id, second.id]
