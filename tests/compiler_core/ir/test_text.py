"""The text form: what prints parses, and what does not parse is named."""

import pytest

from compiler_core.errors import VerifyError
from compiler_core.ir.build import Builder
from compiler_core.ir.origins import captured, with_values
from compiler_core.ir.parse import parse
from compiler_core.ir.stablehlo import to_stablehlo
from compiler_core.ir.text import to_text, with_line_map
from compiler_core.ir.types import BF16, BOOL, F32, I64, TensorType
from compiler_core.ir.verify import verify


def every_kind_of_attribute():
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 8)), "x")
    with b.origin(3):
        y = b.compare(x, b.scalar(float("-inf"), F32, (4, 8)), "GE")
    with b.origin(5, 4):
        z = b.node("slice", b.transpose(x, (1, 0)), start=(0, 1), limit=(8, 3), strides=(2, 1))
    pad = b.node("pad", x, b.scalar(1e-5, F32), low=(1, 0), high=(0, 2), interior=(0, 0))
    i = b.iota(I64, (4, 2), 0)
    return b.graph("f", [y, z, pad, b.convert(i, BF16), b.scalar(True, BOOL)])


def test_what_prints_parses_to_the_same_text(golden):
    graph = every_kind_of_attribute()
    assert to_text(verify(parse(to_text(graph)))) == to_text(graph)
    golden(to_text(graph))


def moved_reduced_and_ordered():
    """An operation of every family that has several results, or dimension numbers."""
    b = Builder()
    x, i = b.parameter(TensorType(F32, (6, 8))), b.parameter(TensorType(I64, (5,)))
    rows = b.node(
        "gather", x, i, offset_dims=(1,), collapsed_slice_dims=(0,), operand_batching_dims=(),
        start_indices_batching_dims=(), start_index_map=(0,), index_vector_dim=1,
        slice_sizes=(1, 8), out_of_bounds="wrap", fill=0.0,
    )  # fmt: skip
    values, places = b.operation(
        "reduce", [rows, b.iota(I64, (5, 8), 1)], monoid="argmax", dimensions=(1,)
    )
    pooled = b.node(
        "reduce_window", rows, monoid="maximum", window=(1, 2), strides=(1, 2),
        base_dilation=(1, 1), window_dilation=(1, 1), low=(0, 0), high=(0, 0),
    )  # fmt: skip
    first = b.operation("top_k", [pooled], k=2, total=False)
    ordered = b.operation(
        "sort", [values, places], dimension=0, keys=1, descending=True, stable=True
    )
    return b.graph("f", [*first, *ordered])


def test_operations_of_several_results_print_and_parse(golden):
    graph = moved_reduced_and_ordered()
    assert to_text(verify(parse(to_text(graph)))) == to_text(graph)
    golden(to_text(graph) + "\n" + to_stablehlo(graph))


def test_each_line_knows_its_captured_operations():
    graph = every_kind_of_attribute()
    lines = dict(zip(to_text(graph).splitlines(), with_line_map(graph)[1], strict=False))
    assert [nodes for line, nodes in lines.items() if "compare" in line] == [[~2, 3]]
    assert [nodes for line, nodes in lines.items() if "slice" in line] == [[~4, 4, 5]]


def test_values_are_added_to_the_origins_of_every_operation_and_change_nothing_else():
    graph = every_kind_of_attribute()
    marked = with_values(graph)
    assert to_text(marked) == to_text(graph)
    assert [captured(o.origins) for o in marked.walk()] == [o.origins for o in graph.walk()]
    assert all(~v.id in v.origins for o in marked.walk() for v in o.results)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "a graph starts with"),
        ("graph f(%0: f31[4]) {\n}", "`f31` is no element type"),
        (
            "graph f(%0: f32[4]) {\n %1 = tanh(%9) : f32[4]\n return %1\n}",
            "%9 is not defined above it",
        ),
        (
            "graph f(%0: f32[4]) {\n %1 := tanh(%0)\n return %1\n}",
            "line 2, `%1 := tanh(%0)`: expected `=`, not `:`",
        ),
        ("graph f(%0: f32[4]) {\n %1 = tanh(%0) : f32[4]\n}", "f has no return line"),
    ],
)
def test_what_does_not_parse_is_named(text, said):
    with pytest.raises(VerifyError) as caught:
        parse(text)
    assert said in caught.value.message


SYMBOLIC = """\
graph f[B = 32 in 2..1024, T = 8 in 2..](%0: f32[B,T,64], %1: f32[64]) {
  %2 = reshape(%0) : f32[B*T,64]
  %3 = broadcast_in_dim(%1) {dimensions = (1)} : f32[B*T,64]
  %4 = add(%2, %3) : f32[B*T,64]
  %5 = slice(%4) {start = (0, 0), limit = (B*T, 32), strides = (1, 1)} : f32[B*T,32]
  return %5
}
"""


def test_symbols_are_declared_in_the_head_and_read_back():
    assert to_text(verify(parse(SYMBOLIC))) == SYMBOLIC


def test_a_symbol_that_is_not_declared_is_named():
    with pytest.raises(VerifyError, match="`N` is neither a size nor a declared symbol"):
        parse("graph f(%0: f32[N]) {\n return %0\n}")


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("B = 32 in 40..50", "`graph f[B = 32 in 40..50](%0: f32[B]) {`: the size B is 32"),
        ("B = 32 in 2..16", "outside its range 2..16: give a number within"),
        ("B = 32 in 40..", "outside its range 40..: give a number within"),
        ("B = 32 in 2.. by 5", "the size B is 32 in the captured call, which is no multiple of 5"),
        ("B = 32 in 2.. by 0", "no multiple of 0"),
        ("B = 32 in some", "`some` is no range such as 2..1024 or 2.."),
        ("B = 32 in 2...4", "`2...4` is no range such as 2..1024 or 2.."),
    ],
)
def test_a_symbol_that_no_call_can_have_is_refused(declared, said):
    with pytest.raises(VerifyError) as caught:
        parse(f"graph f[{declared}](%0: f32[B]) {{\n return %0\n}}")
    assert said in caught.value.message
