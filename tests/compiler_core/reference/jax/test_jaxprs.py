"""Jaxprs' texts, residuals and differences of calls, without JAX's tracing."""

import numpy as np
import pytest

from compiler_core.reference.jax import arguments, jaxprs, residuals
from compiler_core.reference.jax.signatures import Signature
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import CapturedOp
from compiler_core.snippet.program import FoundProgram

LINES = SourceLines((CapturedOp(0, "tanh", 6, 9), CapturedOp(1, "sub", 6, 9)))

# As JAX 0.10.2 prints it.
TEXT = """{ lambda ; a:f32[4,3]. let
    d:f32[2,3] = tanh c                                   # <snippet>:6:8 (g)
    e:f32[2,3] = sub 1.0:f32[] d                          # <snippet>:6:8 (g)
    f:f32[2,3] = mul d d                                  # /usr/lib/other.py:6:8 (h)
    _:f32[] = reduce_sum[axes=(0, 1) out_sharding=None] f # <snippet>:6
  in (f,) }"""


def test_an_equation_leads_to_the_operation_of_its_place_and_primitive() -> None:
    found = jaxprs.mapped("jaxpr", TEXT, LINES)
    assert found.nodes == [[], [0], [1], [], [0, 1], []]
    assert "#" not in found.text
    assert found.text.splitlines()[1] == "    d:f32[2,3] = tanh c"


def test_a_residual_leads_to_its_line() -> None:
    class Aval:
        shape, dtype = (2, 3), np.dtype("float32")

        def str_short(self, short_dtypes: bool) -> str:
            return "f32[2,3]"

    kept = [(Aval(), "from the argument w"), (Aval(), "output of tanh from <snippet>:6:8 (g)")]
    argument, output = residuals.table(kept, LINES).rows
    assert argument.cells == ["f32[2,3]", 24, "from the argument w"] and argument.line is None
    assert output.cells[2] == "output of tanh at line 6"
    assert (output.nodes, output.line) == ([0, 1], 6)
    assert residuals.summary(kept) == "24 B of 1 result kept for the backward pass"


X = np.ones(3, "float32")


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (((X[:2], 2), {}), "shape", "x is f32[2], was f32[3]"),
        (((X.astype("int32"), 2), {}), "type", "x is i32[3], was f32[3]"),
        (((X, np.int32(2)), {}), "weak", "n is i32[], was i32[] (a Python number)"),
        (((X, 2), {"mode": "b"}), "static", "mode is 'b', was 'a'"),
        ((([X], 2), {}), "structure", "(x[0], n), was (x, n)"),
        (((X,), {"n": 2}), "structure", "(x, n), was (x, n)"),
    ],
)
def test_calls_differ_in_one_way(call, kind: str, text: str) -> None:
    def f(x, n, mode="a"):
        return x

    program = FoundProgram("f", "jax", 1, f, (X, 2), {"mode": "a"}, static_argnames=("mode",))
    before = Signature.of(program, program.args, program.kwargs)
    args, kwargs = call
    (found,) = Signature.of(program, args, {"mode": "a", **kwargs}).differences(before)
    assert (found.kind, found.text) == (kind, text)
    assert found.why and found.remedy
    assert before.differences(before) == []


def test_aliases_are_read_by_parameter() -> None:
    text = (
        "func.func public @main(%arg0: tensor<4xf32> {tf.aliasing_output = 1 : i32}, "
        "%arg1: tensor<f32>, %arg2: tensor<3xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<f32>)"
    )
    assert arguments.written_over(text) == {0: 1, 2: 0}
    assert arguments.written_over("of another form") == {}
