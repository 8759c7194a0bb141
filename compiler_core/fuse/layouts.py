"""Layout assignment: the order in memory of a value between two kernels.

    bias = gather(table, places)     written as [4096, 8]
    softmax(scores + bias)           reads it as [8, 64, 64], eight elements apart in each row

Where all consumers read a value through the same transposition, the producer can write it
transposed: the transposed view is materialized in place of the value. A consumer that reduces along
rows, or reads elements more than once, gains more by contiguous loads than it costs the producer,
which may write in any order: it has no reduction, or stores one element for each row.
"""

from collections.abc import Iterator
from math import prod

from compiler_core.fuse.cost import reads_across
from compiler_core.fuse.group import Fused, Group
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import OPS
from compiler_core.ir.sizes import hint


def written_as_read(fused: Fused) -> frozenset[Value]:
    """The transposed views to materialize in place of the values that they transpose."""
    owner = {node: group for group in fused.groups for node in group.members}
    return frozenset(view for group in fused.groups for view in _of_group(group, fused, owner))


def _of_group(group: Group, fused: Fused, owner: dict[Value, Group]) -> Iterator[Value]:
    for value in group.outputs:
        readers = [owner.get(reader) for reader in fused.values.readers[value]]
        view, name = _transposed(value, fused), fused.names[value]
        if view is None or not all(readers) or value in fused.values.results:
            continue
        if _has_no_order(group, name) and any(r and _gains(r, value, name) for r in readers):
            yield view


def _transposed(value: Value, fused: Fused) -> Value | None:
    """The transposed view through which every reader reads `value`; None if there is none."""
    users, found = fused.values.graph.users, None
    while len(users[value]) == 1:
        (value,) = users[value][0].results[:1]
        if not OPS[value.op].permutes or value in fused.values.materialized:
            break
        found = found if OPS[value.op].same_order else value
    return found


def _has_no_order(group: Group, name: str) -> bool:
    """Whether the kernel of `group` can write buffer `name` in any order of elements."""
    kernel, stores = group.kernel, [e for e in group.kernel.stores if e.buffer == name]
    if kernel.scattered or len(stores) != 1:
        return False
    return len(group.outputs) == 1 if not kernel.reduce else not kernel.is_tile_effect(stores[0])


def _gains(reader: Group, value: Value, name: str) -> bool:
    """Whether `reader` reads the value across cache lines, and either reduces, so that it cannot
    be tiled, or reads elements more than once."""
    kernel, elements = reader.kernel, hint(value.type.elements)
    again = prod(axis.hint for axis in kernel.axes) > elements
    return (bool(kernel.reduce) or again) and reads_across(kernel, name)
