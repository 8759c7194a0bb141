"""What the core does not compile, each by a snippet that has it: one sentence, the line, and what
to do instead."""

import pytest

from tests.compiler_core.pipeline.test_broken_snippets import explored
from tests.compiler_core.pipeline.test_each_error import OURS, TORCH

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]

MODULE = "func.func @main(%a: {0}) -> {0} {{\n{1}\n}}\n"
SCATTER = """func.func @main(%a: tensor<8xf32>, %i: tensor<3x1xi32>, %b: tensor<3xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.divide %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<8xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""  # noqa: E501
SORT = """  %0 = "stablehlo.sort"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    %1 = stablehlo.compare LT, %s, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>"""
CALL = """  %0 = stablehlo.custom_call @mine(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>"""
RESHAPED = """  %n = stablehlo.constant dense<4> : tensor<1xi32>
  %0 = stablehlo.dynamic_reshape %a, %n : (tensor<4xf32>, tensor<1xi32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>"""
JAGGED = """import torch
rows = [torch.ones(2, 3), torch.ones(4, 3)]
torch.compile(lambda x: x * 2)(torch.nested.nested_tensor(rows, layout=torch.jagged))
"""
HALVES = "import torch\ntorch.compile(lambda x: x * 2)(torch.ones(4, dtype=torch.complex32))\n"
UNFOLDED = """import torch
@torch.compile
def f(x):
    y = x.clone()
    y.unfold(0, 3, 1).fill_(2.0)
    return y
f(torch.ones(8))
"""
BEYOND = """import torch
@torch.compile
def f(x):
    return torch.as_strided(x, (3, 3), (1, 1), 5)
f(torch.arange(10.)[:4])
"""
UNKNOWN = """import torch
@torch.library.custom_op("ours::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2
@torch.compile
def f(x):
    return twice(x) + 1
f(torch.ones(4))
"""
NIBBLES = """import jax, jax.numpy as jnp
@jax.jit
def f(x):
    return x.astype(jnp.int4) + 1
f(jnp.ones(4))
"""
CONVENTION = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1
def get_inputs():
    return torch.ones(3)
"""
NAMED = "# inputs: weights, f32[3]\nimport torch\ndef f(w, x):\n    return x * w\n"
LEAKED = """import jax, jax.numpy as jnp
kept = []
@jax.jit
def g(x):
    kept.append(x * 2)
    return x
@jax.jit
def f(x):
    return x + kept[0]
g(jnp.ones(3)); f(jnp.ones(3))
"""
# By what is refused: the snippet, its line, and words of the sentence and of the remedy.
REFUSED = {
    "complex halves": (HALVES, 2, "torch.complex32", "torch.complex64"),
    "a jagged tensor": (JAGGED, 3, "torch.jagged", "to_padded_tensor"),
    "windows written to": (UNFOLDED, 5, "made by unfold", "a new tensor"),
    "memory beside an input": (BEYOND, 4, "is not given", "the whole tensor"),
    "an operation without a form": (UNKNOWN, 7, "has no fake implementation", "register_fake"),
    "integers of 4 bits": (NIBBLES, 4, "int4", "jnp.int8"),
    "inputs that are no list": (CONVENTION, 5, "Tensor, not a list", "a list with one tensor"),
    "inputs that are not defined": (NAMED, 1, "weights", "define it"),
    "a leaked tracer": (LEAKED, 9, "UnexpectedTracerError", "return what"),
    "an end without an end": (TORCH.format("(0)(" * 2), 4, "never closed", "correct the syntax"),
    "a sum of many": ("x = " + "+".join("1" * 60000), None, "too deeply", "split the long"),
    "StableHLO: a body": (SCATTER, 2, "stablehlo.divide", "gather the old values"),
    "StableHLO: an order": (MODULE.format("tensor<4xf32>", SORT), 2, "comparator", "by a key"),
    "StableHLO: a call": (MODULE.format("tensor<4xf32>", CALL), 2, "mine", "with operations of"),
    "StableHLO: an operation": (
        MODULE.format("tensor<4xf32>", RESHAPED), 3, "dynamic_reshape", "other operations"),
    "StableHLO: a token": (
        MODULE.format("!stablehlo.token", "  return %a : !stablehlo.token"), 1, "token", "arrays"),
    "StableHLO: a size": (
        MODULE.format("tensor<?xf32>", "  return %a : tensor<?xf32>"), 1, "not known", "a number"),
    "StableHLO: bits": (
        MODULE.format("tensor<4xi3>", "  return %a : tensor<4xi3>"), 1, "i3", "f32 or i8"),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_says_where_and_what_to_do_instead(what):
    source, line, words, remedy = REFUSED[what]
    found = explored(source)
    assert words in found.message and remedy in found.remedy
    assert found.line == line
    assert not OURS.search(f"{found.message} {found.remedy} {found.traceback}")
