"""What a compiler is looked into for, and what a look yields."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.capture.edges import past_views, with_reads
from compiler_core.reference.source_lines import SourceLines
from compiler_core.snippet.program import FoundProgram

# What a look into a compiler yields, as it comes. The `compiler` of a stage and of a buffer is
# filled in by the reader.
Item = (
    report.Stage
    | report.Finding
    | report.FusionDecision
    | report.FusionGroup
    | report.Buffer
    | report.CompilerSummary
)
# A look, or one sentence on why there is nothing to see for this program.
Look = Iterator[Item] | str


def lines_of(captured: Captured, backward: bool) -> SourceLines:
    """The captured operations of one pass by their places, since a line has those of forward and
    backward pass; all operations if none belong to that pass."""
    nodes = [
        node
        for graph in captured.graphs
        if (graph.role == "backward") == backward
        for node in graph.nodes
    ]
    return SourceLines(tuple(nodes or captured.nodes))


@dataclass(frozen=True)
class Subject:
    """A program for another compiler: as found, as captured (whose operations' ids are the
    selection key), and the options, with the target of GPU code."""

    program: FoundProgram
    captured: Captured
    options: report.Options

    def lines(self, backward: bool) -> SourceLines:
        """The captured operations of one pass by their places."""
        return lines_of(self.captured, backward)

    @property
    def edges(self) -> list[tuple[int, int, int]]:
        """(producer, consumer, bytes) for each captured operation that reads the result of another,
        directly or through views."""
        graphs = self.captured.graphs
        return [e for each in graphs for e in past_views(with_reads(each.nodes, each.graph))]

    @property
    def framework(self) -> report.Framework:
        """The program's framework."""
        return self.program.framework
