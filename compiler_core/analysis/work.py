"""How much of a plan is generated."""

from collections.abc import Sequence

from compiler_core.plan.steps import Step


def native_share(steps: Sequence[Step]) -> float:
    """Generated kernels among the launches that are no matmul and no convolution, which are the
    vendor's library by design; 1.0 where there are no others."""
    counted = [s for s in steps if not s.by_design]
    return sum(s.library is None for s in counted) / len(counted) if counted else 1.0
