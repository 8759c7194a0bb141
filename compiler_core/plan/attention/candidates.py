"""What the candidates for running attention on a CPU and on a GPU have in common."""

from compiler_core.plan.attention.step import Attention
from compiler_core.plan.plan import Launch
from compiler_core.report.columns import size
from compiler_core.schedule.choice import Candidate, Option

Launches = tuple[Launch, ...]


def apart_of(launches: Launches) -> Option[Launches]:
    """The candidate that runs the products and the softmax as the separate steps that they are."""
    us = sum(x.cost_us for x in launches)
    title = f"{len(launches)} launches: the products, with the scores in memory between them"
    return Option(Candidate("apart", title, us), launches)


def saves(step: Attention, reason: str) -> str:
    """`reason` for one kernel, with the bytes of scores that it keeps out of memory."""
    scores = size(step.scores.out.type.at_hint().bytes)
    return f"one kernel: {reason}; {scores} of scores are neither written nor read"
