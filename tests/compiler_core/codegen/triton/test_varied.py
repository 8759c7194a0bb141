"""Whatever a launch's free parameters are set to, the kernel computes the same."""

from itertools import chain

import numpy as np
import pytest

from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.gpu.vary import of_gpu
from compiler_core.schedule.targets import resolve
from tests.compiler_core.codegen.triton import interpreter, kernels

pytestmark = pytest.mark.cpu

# What: the kernel, the constants of the schedules, and its loop.
KERNELS = {
    "elementwise": (kernels.bias_gelu(33, 77), "as chosen", "flat"),
    "transpose": (kernels.transpose_add(256, 290), "as chosen", "tiled"),
    "short rows": (kernels.softmax(300, 5), "as chosen", "persistent"),
    "rows": (kernels.softmax(3, 700), "as chosen", "persistent"),
    "rows in blocks": (kernels.softmax(2, 301), "short rows", "looped"),
    "columns": (kernels.softmax_down(20, 70), "as chosen", "persistent"),
    "sums of columns": (kernels.column_sum(300, 40), "as chosen", "looped"),
}


@pytest.mark.parametrize("name", KERNELS)
def test_every_parameter_at_its_ends(interpreted, name):
    kernel, profile, loop = KERNELS[name]
    random = np.random.default_rng(3)
    inputs = {
        b.name: random.standard_normal(b.type.shape).astype(np.float32) for b in kernel.inputs
    }
    with interpreter.constants(profile):
        (part,), _ = choose_gpu(kernel, resolve("sm_90"))
    assert part.loop == loop
    wanted = interpreted(kernel, inputs, (part,))
    free = of_gpu(part)
    ends = chain.from_iterable(((n, values[0]), (n, values[-1])) for n, values in free.items())
    for parameter, value in ends:
        varied = part.varied({parameter: value})
        assert varied.parameters[parameter] == value
        found = interpreted(kernel, inputs, (varied,))
        for buffer in wanted:
            np.testing.assert_allclose(found[buffer], wanted[buffer], rtol=1e-4, atol=1e-6)
