"""What a launch in the report says about how it was chosen."""

from collections.abc import Iterator

from compiler_core import report


def unexplained(kernel: report.Kernel) -> Iterator[str]:
    """What is missing or does not hold: one candidate is chosen, it is the cheapest, it has the
    name of the launch's strategy, and everything has a reason."""
    assert kernel.schedule is not None
    where = f"{kernel.backend} {kernel.id} ({kernel.schedule.strategy})"
    chosen = [c for c in kernel.candidates if c.chosen]
    if not kernel.schedule.reason or not all(c.reason for c in kernel.candidates):
        yield f"{where}: no reason"
    if len(chosen) != 1:
        yield f"{where}: {len(chosen)} of {len(kernel.candidates)} candidates are chosen"
        return
    if chosen[0].strategy != kernel.schedule.strategy:
        yield f"{where}: {chosen[0].strategy} was chosen"
    costs = [c.cost_us for c in kernel.candidates if c.cost_us is not None]
    if chosen[0].cost_us is None or chosen[0].cost_us > min(costs):
        yield f"{where}: {chosen[0].cost_us} us were chosen of {costs}"
