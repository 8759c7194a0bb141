"""A float that becomes a whole number and a float again is what both conversions make of it."""

import numpy as np
import pytest
import torch

from compiler_core.codegen.c import emit as c
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, F64, I32, I64
from tests.compiler_core.codegen.c.graphs import plan_of, run, tensor_type

pytestmark = pytest.mark.cpu

ENDS = [np.nan, np.inf, -np.inf, -0.0, 0.5, -0.5, 2.5, -2.5, 3e9, -3e9, 1e30, -1e30, 7.0, 8.0, 9.0]


def round_trip(dtype, whole, between=lambda b, x: x):
    b = Builder()
    x = b.parameter(tensor_type((4 * len(ENDS),), dtype))
    return b.graph("round_trip", [b.convert(between(b, b.convert(x, whole)), dtype)])


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("whole", [I32, I64], ids=str)
def test_it_is_what_torch_makes_of_it(dtype, whole):
    x = torch.tensor(
        ENDS * 4, dtype=getattr(torch, {"f32": "float32", "f64": "float64"}[str(dtype)])
    )
    own = x.to(getattr(torch, {"i32": "int32", "i64": "int64"}[str(whole)])).to(x.dtype).numpy()
    (found,) = run(round_trip(dtype, whole), [x.numpy()])
    np.testing.assert_array_equal(found, own)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(own))


def test_a_program_without_one_may_ignore_traps():
    added = round_trip(F32, I32, lambda b, x: b.node("add", x, x))
    assert "trapping-math" not in c.emit(plan_of(added)).source.text
    assert "trapping-math" in c.emit(plan_of(round_trip(F32, I32))).source.text
