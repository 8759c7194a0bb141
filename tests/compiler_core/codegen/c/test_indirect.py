"""Accesses with terms that are values: rows of a table by number, an index for each element."""

import numpy as np
import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.kernel.work import traffic
from compiler_core.runtime import cpu
from tests.compiler_core.codegen.c.graphs import from_torch, to_torch
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.plans import of_kernel, run_plan


def test_text(golden):
    text = c.emit(of_kernel(kernels.embedded_norm(4096, 512, 50257))).source.text
    golden(text)


def test_the_rows_that_are_read_are_counted_not_the_table():
    read, written = traffic(kernels.embedded_norm(16, 512, 50257))
    assert read == 16 * 8 + 16 * 512 * 4 and written == 16 * 512 * 4


CASES = {
    "rows": kernels.embedded_norm(40, 50, 7),
    "long rows": kernels.embedded_norm(3, 5000, 7),
    "each element": kernels.taken_along(33, 77, 9),
}


@pytest.mark.cpu
@pytest.mark.parametrize("name", CASES)
def test_c_computes_what_the_kernel_means(name):
    kernel, random = CASES[name], np.random.default_rng(4)
    inputs = [
        random.integers(-3 if b.name == "word" else 0, 9, b.type.shape).astype(
            NUMPY[str(b.type.dtype)]
        )
        if b.type.dtype.is_integer
        else random.standard_normal(b.type.shape).astype(np.float32)
        for b in kernel.inputs
    ]
    (found,) = cpu.build(of_kernel(kernel))([to_torch(x) for x in inputs])
    (expected,) = run_plan(of_kernel(kernel), inputs)
    np.testing.assert_allclose(from_torch(found), expected, rtol=1e-5)
