"""How much of a plan is generated code."""

from collections.abc import Iterable

from compiler_core.plan.steps import Step


def native_share(steps: Iterable[Step], outside: int = 0) -> float:
    """The share of generated kernels among the launches, from 0 to 1; 1.0 if there are no launches.
    `outside` are launches of the framework in parts of the program that are in no graph. Matrix
    products and convolutions by the vendor's library do not count, since the library was chosen
    there, nor does control flow, which launches nothing itself."""
    counted = [s for s in steps if not (s.by_design and s.library) and not s.plans]
    launches = len(counted) + outside
    return sum(s.library is None for s in counted) / launches if launches else 1.0
