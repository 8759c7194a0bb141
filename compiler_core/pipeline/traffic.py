"""What captured operations cost in the core's version of a program: the bytes that their launches
read and write."""

from collections.abc import Collection

from compiler_core.ir.origins import captured
from compiler_core.pipeline.context import Compilation


def bytes_moved(c: Compilation, nodes: Collection[int]) -> int | None:
    """Those of the launches that compute nothing but these operations, in each call; None where
    there is no such launch, or the program was not planned."""
    plans = [part.running.plan for part in c.parts]
    steps = [launch.step for plan in plans if plan is not None for launch in plan.walk()]
    own = [set(captured(step.origins)) for step in steps]
    moved = [
        sum(step.traffic()) for step, ids in zip(steps, own, strict=True) if ids and ids <= {*nodes}
    ]
    return sum(moved) if moved else None
