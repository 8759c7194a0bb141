"""A graph of Dynamo's as text, with its line map."""

import re
from collections.abc import Iterator
from typing import Any

from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.reference.dynamo.heard import without_folders
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import Artifact
from compiler_core.snippet.source import is_own

_ASSIGNED = re.compile(r"\s+(\w+)(?:: \"[^\"]*\")? = ")
_FROM = re.compile(r"\s+# File: (?P<file>.+?):(?P<line>\d+) in ")


def graph_text(graph: Any, lines: SourceLines) -> Artifact:
    """A graph module as torch prints it. The operations of a line are those at its node's place in
    the snippet."""
    text = without_folders(graph.print_readable(print_output=False))
    places = dict(_places(graph))
    nodes = [_nodes(line, places, lines) for line in text.splitlines()]
    return Artifact("graph", "graph", "python", text, nodes)


def operations(graph: Any) -> int:
    """The number of a graph's nodes that compute something."""
    return sum(n.op.startswith("call_") for n in graph.graph.nodes)


def _nodes(text: str, places: dict[str, tuple[int, int | None]], lines: SourceLines) -> list[int]:
    assigned, origin = _ASSIGNED.match(text), _FROM.match(text)
    if assigned and assigned[1] in places:
        return lines.at(*places[assigned[1]])
    if origin and is_own(origin["file"]):
        return lines.at(int(origin["line"]))
    return []


def _places(graph: Any) -> Iterator[tuple[str, tuple[int, int | None]]]:
    for module in graph.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            place = place_of(node.meta.get("stack_trace"))
            if place is not None and node.op.startswith("call_"):
                yield node.name, (place[0], place[1] - 1)
