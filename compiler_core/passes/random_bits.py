"""Expansion of random bits into arithmetic on counters, which fuses with its readers."""

from dataclasses import dataclass

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import AnyRegion, Graph, Operation, Value
from compiler_core.ir.random_bits import random_bits
from compiler_core.ir.text import node_text
from compiler_core.passes.recording import Pass
from compiler_core.report import Rewrite

_LAW = "bits(state) -> the cipher of state + i, for element i"


@dataclass(frozen=True)
class ExpandRandomBits(Pass):
    """Random bits become integer arithmetic on a counter, which fuses as any other."""

    name = "expand-random-bits"
    about = "random bits as arithmetic on counters"
    needed = "no kernel draws random bits: it says how they are computed"

    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        done: list[Rewrite] = []
        return _expanded(graph, Builder(graph.next_id), done), done


def _expanded(region: AnyRegion, b: Builder, done: list[Rewrite]) -> AnyRegion:
    before = len(done)
    new: dict[Value, Value] = {x: x for x in region.inputs}
    for operation in region.operations:
        operands = tuple(new[x] for x in operation.operands)
        new |= zip(operation.results, _results(operation, operands, b, done), strict=True)
    if len(done) == before:
        return region
    return type(region).of(region.name, region.inputs, [new[x] for x in region.outputs])


def _results(
    operation: Operation, operands: tuple[Value, ...], b: Builder, done: list[Rewrite]
) -> tuple[Value, ...]:
    if operation.op != "rng_bit_generator":
        regions = tuple(_expanded(r, b, done) for r in operation.regions)
        if operands == operation.operands and regions == operation.regions:
            return operation.results
        return b.like(operation, operands, regions).results
    with b.origin(*operation.origins):
        results = random_bits(b, operation["algorithm"], operands[0], operation.types[1])
    old, whole = node_text(operation.results[1]), node_text(results[1])
    done.append(Rewrite("random-bits", _LAW, old, whole, list(operation.origins)))
    return results
