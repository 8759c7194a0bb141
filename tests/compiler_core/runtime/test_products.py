"""Products that the framework computes."""

import pytest
import torch

from compiler_core.ir.types import F16
from compiler_core.plan.choose import OnCpu
from compiler_core.runtime import cpu
from compiler_core.schedule.targets import CpuTarget
from compiler_core.steering import Steering, steered
from tests.compiler_core.plan.planned import planned, product

pytestmark = pytest.mark.cpu


class _ByTorch(Steering):
    def picks(self, of, options):
        return next((o for o in options if o.candidate.strategy == "torch"), None)


@pytest.mark.parametrize(("m", "n"), [(1, 48), (48, 1), (1, 1), (3, 48)])
@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("right", [0, 1])
def test_a_product_of_f16_by_torch_is_right_from_either_side_and_in_either_order(m, n, left, right):
    with steered(_ByTorch()):
        plan = planned(product(m, 32, n, F16, ((left,), (right,))), OnCpu(CpuTarget()))
    assert [x.schedule.strategy for x in plan.launches] == ["torch"]
    generator = torch.Generator().manual_seed(1)
    x, y = (torch.randn(s, generator=generator).half() for s in ((m, 32), (32, n)))
    given = [x if left else x.t().contiguous(), y.t().contiguous() if right else y]
    (found,) = cpu.build(plan)(given)
    assert found.shape == (m, n)
    torch.testing.assert_close(found.float(), x.float() @ y.float(), rtol=2e-3, atol=2e-2)
