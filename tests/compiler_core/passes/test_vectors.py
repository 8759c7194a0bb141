"""Products of a matrix and a vector as sums."""

import numpy as np
import pytest

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.ir.types import F32
from compiler_core.ir.verify import verify
from compiler_core.passes.vectors import as_sums, is_of_vector


def product(left, right, batch, contract, result, dtype="f32"):
    """A graph of one product, %2; `batch` and `contract` are pairs of dimensions of both sides."""
    attributes = ", ".join(
        f"{side}_{kind} = ({'' if at is None else at})"
        for kind, pair in (("batch", batch), ("contract", contract))
        for side, at in zip(("lhs", "rhs"), pair, strict=True)
    )
    head = f"graph f(%0: {dtype}[{left}], %1: {dtype}[{right}])"
    dot = f"dot_general(%0, %1) {{{attributes}}} : {dtype}[{result}]"
    return verify(parse(f"{head} {{\n  %2 = {dot}\n  return %2\n}}"))


def drawn(graph):
    random = np.random.RandomState(0)
    return [random.randn(*x.type.shape).astype(NUMPY[x.type.dtype.name]) for x in graph.inputs]


NONE = (None, None)


@pytest.mark.parametrize(
    ("left", "right", "batch", "contract", "result"),
    [
        ("4,8", "8", NONE, (1, 0), "4"),
        ("8", "8", NONE, (0, 0), ""),
        ("1,8", "8,4", NONE, (1, 0), "1,4"),
        ("8,4", "8,1", NONE, (0, 0), "4,1"),
        ("300,300", "300", NONE, (1, 0), "300"),
        ("3,8", "3,8,4", (0, 0), (1, 1), "3,4"),
        ("3,1,8", "3,4,8", (0, 0), (2, 2), "3,1,4"),
        ("8,3", "4,8,3", (1, 2), (0, 1), "3,4"),
    ],
)
def test_a_product_with_a_vector_as_a_sum_is_the_same(left, right, batch, contract, result):
    before = product(left, right, batch, contract, result)
    assert is_of_vector(before.outputs[0])
    after, rewrites = as_sums(before, {2})
    verify(after)
    assert "dot_general" not in {o.op for o in after.operations} and len(rewrites) == 1
    given = drawn(before)
    (x,), (y,) = evaluate(after, given), evaluate(before, given)
    np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)


def test_a_product_of_two_matrices_is_none_of_a_vector():
    assert not is_of_vector(product("2,8", "8,4", NONE, (1, 0), "2,4").outputs[0])
    assert not is_of_vector(product("8", "8", NONE, (0, 0), "", "i32").outputs[0])


def test_what_is_not_to_be_a_sum_stays_a_product():
    before = product("4,8", "8", NONE, (1, 0), "4")
    assert as_sums(before, {7}) == (before, [])


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_16_bit_floats_are_added_in_f32(dtype):
    before = product("1,400", "300,400", NONE, (1, 1), "1,300", dtype)
    after = verify(as_sums(before, {2})[0])
    (total,) = (o for o in after.operations if o.op == "reduce")
    assert total.result.type.dtype is F32
    given = drawn(before)
    (x,), (y,) = (evaluate(g, given) for g in (after, before))
    tolerance = 2.0**-7 if dtype == "bf16" else 2.0**-10
    np.testing.assert_allclose(x.astype("f4"), y.astype("f4"), rtol=tolerance, atol=tolerance)
