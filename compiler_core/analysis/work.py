"""How much of a plan is generated."""

from collections.abc import Iterable

from compiler_core.plan.steps import Step


def native_share(steps: Iterable[Step]) -> float:
    """Generated kernels among the launches that are no matmul and no convolution, which are the
    vendor's library by design; 1.0 where there are no others. Control flow is no launch itself."""
    counted = [s for s in steps if not s.by_design and not s.plans]
    return sum(s.library is None for s in counted) / len(counted) if counted else 1.0
