"""Common subexpression elimination: equal operations on equal operands are computed once, in
whichever order these stand where the operation commutes."""

from dataclasses import dataclass
from typing import Any

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import AnyRegion, Graph, Operation, Region, Value
from compiler_core.ir.ops import OPS
from compiler_core.ir.text import node_text
from compiler_core.passes.recording import Pass
from compiler_core.report import Rewrite


@dataclass(frozen=True)
class CommonSubexpressions(Pass):
    """Equal operations on equal operands become one."""

    name = "common-subexpressions"
    about = "each expression once"

    def run(self, graph: Graph) -> tuple[Graph, list[Rewrite]]:
        return merge_common(graph)


def merge_common(graph: Graph) -> tuple[Graph, list[Rewrite]]:
    """The graph with each expression once; the operation that remains has the origins of all that
    it replaces."""
    done: list[Rewrite] = []
    return _merge(graph, Builder(graph.next_id), done), done


def _merge(region: AnyRegion, builder: Builder, done: list[Rewrite]) -> AnyRegion:
    before = len(done)
    new: dict[Value, Value] = {x: x for x in region.inputs}
    for first, *others in _alike(region):
        origins = {o for operation in (first, *others) for o in operation.origins}
        operands = tuple(new[x] for x in first.operands)
        regions = tuple(_merge(r, builder, done) for r in first.regions)
        new_operation = first
        if operands != first.operands or regions != first.regions or others:
            with builder.origin(*origins):
                new_operation = builder.like(first, operands, regions)
        for operation in (first, *others):
            new |= zip(operation.results, new_operation.results, strict=True)
        done += [_rewrite(o, first, new_operation) for o in others]
    if len(done) == before:
        return region
    return type(region).of(region.name, region.inputs, [new[x] for x in region.outputs])


def _rewrite(old: Operation, first: Operation, new: Operation) -> Rewrite:
    """That `old` is `first`, which is `new` now. What else is has a rewrite of its own: each naming
    all would be quadratic in a program that has one constant ten thousand times."""
    law = "f(x), f(x) -> f(x) once"
    before, after = node_text(old.results[0]), node_text(new.results[0])
    return Rewrite(
        "common-subexpression", law, before, after, sorted({*old.origins, *first.origins})
    )


def _alike(region: Region) -> list[list[Operation]]:
    """The operations in classes of equal expressions, ordered by the first of each class.
    Operations with regions are never considered equal."""
    classes: dict[Any, list[Operation]] = {}
    leader: dict[Value, int] = {x: x.id for x in region.inputs}
    for operation in region.operations:
        key: Any = operation
        if OPS[operation.op].pure and not operation.regions:
            operands = [leader[x] for x in operation.operands]
            if OPS[operation.op].commutative:
                operands.sort()
            # repr tells 1 from 1.0 and True, 0.0 from -0.0.
            key = (operation.op, *operands, repr(operation.attrs), operation.types)
        found = classes.setdefault(key, [])
        found.append(operation)
        leader |= {x: found[0].id + x.index for x in operation.results}
    return list(classes.values())
