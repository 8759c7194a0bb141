"""Regions as graphs of the report: the body of a loop, the branches of a condition."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec import structs

from compiler_core import report
from compiler_core.ir.graph import Operation, Region
from compiler_core.ir.origins import captured

LineOf = Mapping[int, int | None]

_ROLES: Mapping[str, report.GraphRole] = {"case": "branch"}


def region_ids(graph: Region, id_: str) -> dict[Region, str]:
    """The id of `graph`, which is `id_`, and of each region in it, outer ones first.

    A region is named after the captured operation that it belongs to, so that it has the same name
    before and after every pass.
    """
    found = {graph: id_}
    for operation, region in _regions(graph):
        found |= region_ids(region, _id(id_, operation, region))
    return found


def _id(parent: str, operation: Operation, region: Region) -> str:
    return f"{parent}.{min(captured(operation.origins), default=0)}.{region.name}"


def _regions(graph: Region) -> Iterator[tuple[Operation, Region]]:
    return ((operation, region) for operation in graph.operations for region in operation.regions)


def region_graphs(graph: Region, id_: str, line_of: LineOf) -> Iterator[report.Graph]:
    """The report's graph of each region in the graph `id_`, outer regions first."""
    for operation, region in _regions(graph):
        own = _id(id_, operation, region)
        yield report.Graph(
            own,
            f"{operation.op} {region.name}",
            _ROLES.get(operation.op, "body"),
            _first_line(region.walk(), line_of) or _first_line([operation], line_of),
            id_,
        )
        yield from region_graphs(region, own, line_of)


def _first_line(operations: Iterable[Operation], line_of: LineOf) -> int | None:
    lines = (line_of.get(origin) for operation in operations for origin in operation.origins)
    return min((line for line in lines if line is not None), default=None)


def placed(nodes: Iterable[report.CapturedOp], graph: Region, id_: str) -> list[report.CapturedOp]:
    """The captured operations of a graph, each with the id of the graph or region that it belongs
    to."""
    where: dict[int, str] = {}
    for region, name in region_ids(graph, id_).items():
        for operation in region.operations:
            for origin in operation.origins:
                where.setdefault(origin, name)
    return [structs.replace(node, graph=where.get(node.id, id_)) for node in nodes]
