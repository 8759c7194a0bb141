"""The C text: what a reader sees, and which operations each line comes from."""

import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.ir.build import Builder
from tests.compiler_core.codegen import tuples
from tests.compiler_core.codegen.c.graphs import (
    bias_gelu,
    gelu,
    plan_of,
    reduction,
    renamed,
    softmax,
    tensor_type,
)
from tests.compiler_core.plans import of_kernel

_KINDS = ("elementwise", "row", "column", "full")


def functions(graph) -> str:
    """The generated functions, without the helpers before them."""
    text = c.emit(plan_of(graph)).source.text
    return text[max(text.rfind(f"// {kind}: ") for kind in _KINDS) :]


@pytest.mark.parametrize(
    "graph",
    [softmax((4096, 512), 1), reduction((4096, 1024), (0,), "add"), reduction((8,), (0,), "add")],
    ids=["softmax", "column-sum", "small-sum"],
)
def test_text(graph, golden):
    golden(functions(graph))


def test_text_of_an_arg_max(golden):
    golden(c.emit(of_kernel(tuples.extremum("argmax", "row", 64, 1001))).source.text)


def test_every_line_has_its_origins():
    source = c.emit(plan_of(bias_gelu(64, 1024))).source
    lines = source.text.split("\n")
    assert len(lines) == len(source.nodes)
    of = {line.strip(): nodes for line, nodes in zip(lines, source.nodes, strict=True)}
    assert of["float v2 = v0 + v1;"] == (1,)
    assert of["float v7 = erf_f32(v6);"] == (2,)
    (call,) = (nodes for line, nodes in of.items() if line.startswith("k0_") and "(" in line)
    assert call == (1, 2)


def layers(count: int):
    b = Builder()
    x = b.parameter(tensor_type((64, 64)))
    for number in range(count):
        w = b.parameter(tensor_type((64, 64)))
        with b.origin(number):
            x = gelu(b, b.dot_general(x, w, contract=((1,), (0,))))
    return b.graph("layers", [x])


def test_equal_kernels_are_one_function_with_the_origins_of_all():
    source = c.emit(plan_of(layers(3))).source
    # The product's, and that of the kernel at its end.
    assert source.text.count("static void k") == 2
    (nodes,) = (
        n
        for line, n in zip(source.text.split("\n"), source.nodes, strict=True)
        if "= erf_f32(" in line
    )
    assert nodes == (0, 1, 2)


def test_only_used_helpers_are_printed():
    assert "static inline" not in c.emit(plan_of(reduction((8, 8), (1,), "add"))).source.text


def test_a_buffer_named_like_something_else_is_renamed():
    plan = plan_of(reduction((8, 8), (1,), "add"))
    names = {"in0": "float", "out0": "i0"}
    text = c.emit(renamed(plan, lambda name: names.get(name, name))).source.text
    assert "const float *restrict float_" in text and "float *restrict i0_" in text
