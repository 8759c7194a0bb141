"""Whatever the free parameters of a kernel on a CPU are set to, it computes the same."""

from dataclasses import replace

import numpy as np
import pytest

from compiler_core.codegen.c import emit as c
from compiler_core.runtime import cpu
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.cpu.vary import of_cpu
from tests.compiler_core.codegen.c.graphs import to_torch
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.plans import of_kernel

pytestmark = pytest.mark.cpu

# What: the kernel, its strategy, and values of what is free.
KERNELS = {
    "elementwise": (kernels.bias_gelu(512, 300), "flat", [{"simd": "no"}]),
    "rows": (kernels.softmax(512, 300), "rows", [{"simd": "no"}]),
    "columns": (kernels.column_sum(700, 1100), "columns", [{"block": 64}, {"block": 1024}]),
    "all": (
        kernels.mean(1 << 18), "split", [{"pieces": 2}, {"pieces": 128}, {"simd": "no"}],
    ),
}  # fmt: skip


def result(plan, schedule, inputs):
    (launch,) = plan.launches
    changed = replace(plan, launches=(replace(launch, schedule=schedule),))
    (found,) = cpu.build(changed, c.emit(changed))([to_torch(x) for x in inputs])
    return found.double().numpy()


@pytest.mark.parametrize("name", KERNELS)
def test_every_parameter_at_its_ends(name):
    kernel, strategy, values = KERNELS[name]
    schedule, _ = choose_cpu(kernel)
    assert schedule.strategy == strategy
    free, plan = of_cpu(kernel, schedule), of_kernel(kernel)
    random = np.random.default_rng(3)
    inputs = [random.standard_normal(b.type.shape).astype(np.float32) for b in kernel.inputs]
    wanted = result(plan, schedule, inputs)
    for given in values:
        assert all(value in free[n] for n, value in given.items())
        found = result(plan, schedule.varied(given), inputs)
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
