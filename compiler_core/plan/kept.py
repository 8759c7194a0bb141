"""A plan that keeps its intermediate results: the same launches over memory that is never
reused."""

from collections.abc import Iterable
from dataclasses import replace

from compiler_core.plan.memory import place
from compiler_core.plan.plan import Plan


def keeping(plan: Plan, names: Iterable[str]) -> Plan:
    """The plan with the buffers `names` as further outputs."""
    more = tuple(name for name in names if name not in plan.outputs)
    if not more:
        return plan
    outputs = (*plan.outputs, *more)
    steps = [launch.step for launch in plan.launches]
    placements, arena = place(steps, plan.buffers, plan.inputs, outputs, plan.origins)
    return replace(
        plan, outputs=outputs, placements=placements, arena_bytes=arena,
        output_types=(*plan.output_types, *(plan.buffers[name] for name in more)),
    )  # fmt: skip
