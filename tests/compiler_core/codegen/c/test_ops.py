"""Every elementwise operation has a C text that means what the operation means."""

import numpy as np
import pytest

from compiler_core.codegen.c import ops as c_ops
from compiler_core.ir import eval_numpy, ops
from compiler_core.ir.types import DTYPES, DType
from conformance.operations import cases
from tests.compiler_core.codegen.c.graphs import run_together

pytestmark = pytest.mark.cpu

# A few units in the last place of the type; f16 and bf16 are rounded from f32.
RELATIVE = {"f64": 2e-15, "f32": 1e-6, "f16": 1e-3, "bf16": 8e-3}
CASES = list(cases.elementwise())


def test_every_elementwise_operation_has_a_row():
    assert set(c_ops.RULES) == ops.ELEMENTWISE


def assert_close(case: cases.Case, actual: np.ndarray, dtype: DType) -> str | None:
    """What is wrong, if anything is."""
    (expected,) = eval_numpy.evaluate(case.graph, case.inputs)
    try:
        assert actual.dtype == expected.dtype and actual.shape == expected.shape
        if not dtype.is_float:
            np.testing.assert_array_equal(actual, expected)
        else:
            a, e = actual.astype(np.float64), expected.astype(np.float64)
            np.testing.assert_allclose(a, e, rtol=RELATIVE[dtype.name], atol=0)
    except AssertionError as error:
        return f"{case}: {error}"
    return None


@pytest.mark.parametrize("dtype", DTYPES)
def test_operations_mean_what_numpy_says_at_edge_values(dtype):
    some = [c for c in CASES if c.graph.inputs[0].type.dtype.name == dtype]
    results = run_together([c.graph for c in some], [c.inputs for c in some])
    pairs = zip(some, results, strict=True)
    wrong = [assert_close(c, r, c.graph.outputs[0].type.dtype) for c, (r,) in pairs]
    wrong = [w for w in wrong if w is not None]
    assert not wrong, "\n".join([f"{len(wrong)} of {len(some)}", *wrong])
