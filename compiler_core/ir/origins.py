"""Origins: what a line of a generated text comes from, as ids in one tuple. Captured operations
have ids from 0 on; a value of the IR is represented by the complement of its id: `~12` for `%12`.

While a graph is rewritten its operations have only captured operations as origins, since a pass
replaces values by others. After the last pass each operation is given its own values as well, and
every step, kernel and printed line has them by the same means.
"""

from collections.abc import Iterable
from dataclasses import replace

from compiler_core.ir.graph import AnyRegion, Operation, Value


def captured(origins: Iterable[int]) -> tuple[int, ...]:
    """The ids among `origins` of captured operations, in their order."""
    return tuple(o for o in origins if o >= 0)


def places(operation: Operation) -> tuple[int, ...]:
    """The origins of an operation together with those of its own results, sorted."""
    return tuple(sorted({*operation.origins, *(~value.id for value in operation.results)}))


def with_values(region: AnyRegion) -> AnyRegion:
    """The region with the own values of every operation among its origins, in nested regions
    too."""
    new: dict[Value, Value] = {x: x for x in region.inputs}
    operations = []
    for old in region.operations:
        operation = replace(
            old,
            operands=tuple(new[x] for x in old.operands),
            origins=places(old),
            regions=tuple(map(with_values, old.regions)),
        )
        operations.append(operation)
        new |= zip(old.results, operation.results, strict=True)
    outputs = tuple(new[x] for x in region.outputs)
    return type(region)(region.name, region.inputs, outputs, tuple(operations))
