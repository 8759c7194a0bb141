"""The edges of the captured graph: which operation reads which other's results."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set

from msgspec import structs

from compiler_core import report
from compiler_core.ir.graph import Operation, Region, Value
from compiler_core.ir.ops import FREE_VIEWS


def with_reads(nodes: Iterable[report.CapturedOp], graph: Region) -> list[report.CapturedOp]:
    """The captured operations of a graph, each with the operations whose results it reads, and the
    bytes. Operations are identified by the origins of what they were lowered to, so a view that
    lowering removed has no edges. A view itself moves no bytes: its readers read what was
    computed."""
    found: dict[int, dict[int, int]] = defaultdict(dict)
    views = _views(graph)
    for operation in graph.walk():
        for reader, maker, size in _edges(operation, views):
            found[reader][maker] = max(size, found[reader].get(maker, 0))
    return [structs.replace(node, reads=_reads(found[node.id])) for node in nodes]


def past_views(nodes: Iterable[report.CapturedOp]) -> list[tuple[int, int, int]]:
    """(producer, consumer, bytes) for each operation of `nodes` that reads the result of another,
    directly or through views; views are neither producers nor consumers. `nodes` must have their
    reads."""
    reads = {node.id: node.reads for node in nodes}
    views = {i for i, own in reads.items() if own and not any(read.bytes for read in own)}

    def makers(read: report.Read) -> Iterator[int]:
        if read.node not in views:
            yield read.node
            return
        for of in reads[read.node]:
            yield from makers(of)

    found: dict[tuple[int, int], int] = {}
    for reader, own in reads.items():
        for read in own if reader not in views else ():
            for maker in makers(read):
                found[maker, reader] = max(read.bytes, found.get((maker, reader), 0))
    return [(*edge, size) for edge, size in found.items()]


def _reads(sizes: dict[int, int]) -> list[report.Read]:
    return [report.Read(maker, size) for maker, size in sorted(sizes.items())]


def _views(graph: Region) -> set[int]:
    """The captured operations that became views alone."""
    views: set[int] = set()
    others: set[int] = set()
    for operation in graph.walk():
        (views if operation.op in FREE_VIEWS else others).update(operation.origins)
    return views - others


def _edges(operation: Operation, views: Set[int]) -> Iterator[tuple[int, int, int]]:
    """(reader, maker, bytes) of what an operation reads that is of another captured one."""
    for operand in operation.operands:
        for maker in operand.origins:
            size = _shown(operand) if maker in views else operand.type.at_hint().bytes
            for reader in operation.origins:
                if reader != maker:
                    yield reader, maker, 0 if reader in views else size


def _shown(view: Value) -> int:
    """The bytes of what a view shows; 0 where nothing of the program computes that."""
    while view.op in FREE_VIEWS:
        view = view.operands[0]
    return view.type.at_hint().bytes if view.origins else 0
