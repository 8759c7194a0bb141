"""Matrix products with symbolic numbers of rows and members, in C: what is before and after them
runs on their rows; compiled once, called with several sizes."""

from functools import cache

import numpy as np
import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.interop.arrays import numpy_to_torch
from compiler_core.ir.graph import Graph
from compiler_core.ir.substitute import substitute, symbols_of
from compiler_core.runtime import cpu
from tests.compiler_core import attentions, symbolic_attentions
from tests.compiler_core.codegen.c.graphs import plan_of

LINEAR = ("f32[B=256,128]", "f32[128,96]", "f32[96]")
GELU = "return F.gelu(q @ k + v)"
# By what they show.
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "bias and gelu": (GELU, LINEAR),
    "batch and length as rows": (
        "return F.gelu(F.linear(q, k, v))", ("f32[B=8,T=64,128]", "f32[96,128]", "f32[96]")
    ),
    "rows of two axes, each with its own bias": (
        "return torch.tanh(q @ k + v)", ("f32[B=8,T=64,128]", "f32[128,96]", "f32[T,96]")
    ),
    "softmax": ("return torch.softmax(q @ k + v, -1)", LINEAR),
    "norm before and bias after": ("return F.layer_norm(q, (128,)) @ k + v", LINEAR),
    "residual": (
        "return q + torch.relu(q @ k + v)", ("f32[B=256,128]", "f32[128,128]", "f32[128]")
    ),
    "a product for each member": (
        "return torch.tanh(q @ k)", ("f32[B=16,64,96]", "f32[B,96,80]")
    ),
    "members and rows": ("return torch.tanh(q @ k)", ("f32[B=16,T=64,96]", "f32[B,96,80]")),
    "doubles": (GELU, tuple(x.replace("f32", "f64") for x in LINEAR)),
}  # fmt: skip
# Values of the symbols, in the order of their names.
SIZES = ((2, 2), (37, 5), (300, 33))


@cache
def case(name: str) -> Graph:
    return symbolic_attentions.graph_of(*CASES[name])


def test_the_product_and_what_is_around_it_are_one_launch():
    for name in CASES:
        (launch,) = plan_of(case(name)).launches
        assert launch.schedule.strategy == "registers", name


@pytest.mark.cpu
@pytest.mark.parametrize("name", CASES)
def test_one_function_serves_every_size(name):
    graph = case(name)
    compiled = cpu.build(plan_of(graph))
    for sizes in SIZES:
        numbers = substitute(graph, dict(zip(symbols_of(graph), sizes, strict=False)))
        inputs = [x / x.dtype.type(8) for x in attentions.inputs_of(numbers)]
        (found,) = compiled([numpy_to_torch(x) for x in inputs])
        expected = attentions.expected(numbers, inputs)
        np.testing.assert_allclose(found.numpy(), expected, rtol=2e-5, atol=2e-6)


@pytest.mark.cpu
def test_sixteen_bit_floats_are_rounded_once():
    graph = symbolic_attentions.graph_of(GELU, tuple(x.replace("f32", "f16") for x in LINEAR))
    compiled = cpu.build(plan_of(graph))
    for size in (2, 37, 300):
        numbers = substitute(graph, dict.fromkeys(symbols_of(graph), size))
        inputs = [x / x.dtype.type(8) for x in attentions.inputs_of(numbers)]
        (found,) = compiled([numpy_to_torch(x) for x in inputs])
        expected = attentions.expected(numbers, inputs)
        np.testing.assert_allclose(found.numpy(), expected, rtol=2**-9, atol=2**-9)


def test_a_depth_that_is_a_symbol_is_left_to_a_library_with_the_reason():
    graph = symbolic_attentions.graph_of(
        "return torch.tanh(q.mT @ k)", ("f32[B=256,128]", "f32[B,96]")
    )
    product, _ = plan_of(graph).launches
    reasons = [x.reason for x in product.candidates if x.strategy == "registers"]
    assert any("are made for numbers" in reason for reason in reasons)


def test_text(golden):
    text = c.emit(plan_of(case("members and rows"))).source.text
    golden(text[text.index("// elementwise: on some rows") :])
