"""The memory that eager execution holds between its operations.

Each captured operation writes to memory of its own, which is freed after the last operation that
reads it: a lower bound, since Python keeps a value for as long as some variable has it. Views have
no memory; inputs are there before, and results belong to the caller.
"""

from collections.abc import Iterator
from itertools import accumulate

from compiler_core.ir import ops
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.origins import captured


def live_bytes(graph: Region) -> list[int]:
    """The bytes held during each operation that writes something, in order, without inputs and
    results. Sizes must be numbers."""
    steps = list(_steps(graph))
    last: dict[Value, int] = {}
    for number, (_, read) in enumerate(steps):
        last |= dict.fromkeys(read, number)
    results = set(map(_base, graph.outputs))
    change = [0] * (len(steps) + 1)
    for number, (written, _) in enumerate(steps):
        for value in written - results:
            change[number] += value.type.bytes
            change[last.get(value, number) + 1] -= value.type.bytes
    return list(accumulate(change[:-1]))


def _steps(graph: Region) -> Iterator[tuple[set[Value], set[Value]]]:
    """What each operation of eager execution writes, and the memory that it reads."""
    groups: dict[tuple[int, ...], list[Value]] = {}
    for node in graph.computed:
        # A node that nothing was captured for is an operation of its own.
        key = captured(node.origins) or (~node.id,)
        # In the order of their last nodes: some of the first need nothing, and stand before what
        # the others read.
        groups[key] = [*groups.pop(key, ()), node]
    results = set(map(_base, graph.outputs))
    for nodes in groups.values():
        inside = set(nodes)
        written = {n for n in nodes if _fills(n) and (n in results or _leaves(graph, n, inside))}
        if written:
            yield written, {_base(x) for n in nodes for x in n.operands} - inside


def _leaves(graph: Region, value: Value, inside: set[Value]) -> bool:
    """Whether an operation outside of the group reads a value, or a view of it."""
    read = [result for user in graph.users[value] for result in user.results]
    return any(x not in inside or (_is_view(x) and _leaves(graph, x, inside)) for x in read)


def _fills(value: Value) -> bool:
    return not _is_view(value) and not (value.op == "constant" and value.type.rank == 0)


def _is_view(value: Value) -> bool:
    return ops.OPS[value.op].aliases


def _base(value: Value) -> Value:
    """The value whose memory a view shows."""
    while _is_view(value):
        value = value.operands[0]
    return value
