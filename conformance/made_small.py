"""A bad random graph made small, so that a reader sees what is wrong with it."""

from collections.abc import Callable

from compiler_core.ir.text import to_text
from conformance import examples, random_graphs
from conformance.graphs.programs import Random
from conformance.sample import GraphSample, Unit
from conformance.verdict import Verdict

BAD = ("wrong", "fault")
# A parent waits longer for a sample (parent.py).
SECONDS = 20.0


def smallest(
    unit: Unit, number: int, judge: Callable[[GraphSample], Verdict], seconds: float = SECONDS
) -> str:
    """The text of the smallest graph that is found in so many seconds to be as bad as sample
    `number` of a unit."""
    entry, variant = unit.entry, unit.variant
    name = random_graphs.name(entry, variant)

    def is_bad(program: Random) -> bool:
        sample = random_graphs.sample(f"{name} {number}", program, variant)
        return judge(sample).kind in BAD

    make = random_graphs.make(entry, variant)
    program = examples.shrunk(make, name, random_graphs.OF, number, is_bad, seconds)
    return to_text(program.graph)
