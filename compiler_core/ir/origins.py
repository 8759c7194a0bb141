"""What a line of a generated text comes from, as ids in one tuple: the captured operations, from 0
on, and the values of the IR, each as the complement of its id: `~12` for `%12`.

While a graph is rewritten its operations have captured ones alone, for a value that a pass replaces
is another value. After the last pass each operation is given its own values as well, and every
step, kernel and printed line then has them by the same way as the captured operations.
"""

from collections.abc import Iterable
from dataclasses import replace

from compiler_core.ir.graph import AnyRegion, Operation, Value


def captured(origins: Iterable[int]) -> tuple[int, ...]:
    """The ids among `origins` of captured operations, in their order."""
    return tuple(o for o in origins if o >= 0)


def places(operation: Operation) -> tuple[int, ...]:
    """The origins of an operation with its own values, sorted."""
    return tuple(sorted({*operation.origins, *(~value.id for value in operation.results)}))


def with_values(region: AnyRegion) -> AnyRegion:
    """The same region, and those nested in it, with every operation's values among its origins."""
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
