"""The edges of the captured graph: which operation reads which other's results."""

from collections import defaultdict
from collections.abc import Iterable

from msgspec import structs

from compiler_core import report
from compiler_core.ir.graph import Operation, Region


def with_reads(nodes: Iterable[report.CapturedOp], graph: Region) -> list[report.CapturedOp]:
    """The captured operations of a graph, each with what it reads of the others. Operations are
    identified by the origins of what they were lowered to, so a view that lowering removed has no
    edges."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    for operation in graph.walk():
        for reader, maker, size in _edges(operation):
            found[reader][maker] = max(size, found[reader].get(maker, 0))
    return [structs.replace(node, reads=_reads(found[node.id])) for node in nodes]


def _reads(sizes: dict[int, int]) -> list[report.Read]:
    return [report.Read(maker, size) for maker, size in sorted(sizes.items())]


def _edges(operation: Operation) -> Iterable[tuple[int, int, int]]:
    """(reader, maker, bytes) of what an operation reads that is of another captured one."""
    for operand in operation.operands:
        size = operand.type.at_hint().bytes
        for maker in operand.origins:
            for reader in operation.origins:
                if reader != maker:
                    yield reader, maker, size
