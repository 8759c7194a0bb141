"""Every operation and every template as Triton: compiled for each target, and interpreted, against
what its graph means; and as C, against the same.

operations   graphs of one operation each (operations/), by the operation
templates    programs that become one of the templates of a GPU's plans, with the compiler's own
             choices and with others made by chance (knobs.py), so that all candidates are printed
"""

from collections.abc import Iterator
from functools import cache

from conformance.graphs.programs import Random
from conformance.operations import every
from conformance.sample import GraphSample
from conformance.templates import TEMPLATES, graph_of

# What runs a graph, of run_graphs.RUNS.
_RUNNERS = {"Triton": "Triton for all", "C": "C"}
VARIANTS = tuple(f"{what} {runner}" for what in ("operations", "templates") for runner in _RUNNERS)
# Of each template: so many ways of choosing, the first of which is the compiler's own. Of more
# elements the interpreter would take minutes in a way that nobody would choose.
_WAYS, _MOST_ELEMENTS = 3, 40_000


def entries(variant: str) -> list[str]:
    return list(_by_operation()) if "operations" in variant else list(TEMPLATES)


def samples(entry: str, variant: str) -> Iterator[GraphSample]:
    what, _, runner = variant.partition(" ")
    if what == "operations":
        for name, program in _by_operation()[entry]:
            yield GraphSample(f"{name} {runner}", program, _RUNNERS[runner])
        return
    graph, inputs = graph_of(entry)
    large = sum(x.size for x in inputs) > _MOST_ELEMENTS
    for way in range(1 if large else _WAYS):
        name = f"{entry} {runner}, chosen by {way}" if way else f"{entry} {runner}"
        yield GraphSample(name, Random(graph, ({},), (inputs,)), _RUNNERS[runner], way or None)


@cache
def _by_operation() -> dict[str, list[tuple[str, Random]]]:
    """By the operation that gives the first result."""
    found: dict[str, list[tuple[str, Random]]] = {}
    for case in every():
        program = Random(case.graph, ({},), (case.inputs,))
        found.setdefault(case.graph.outputs[0].op, []).append((str(case), program))
    return found
