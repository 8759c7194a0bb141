"""The graphs of a program, the values saved between them, and the Python that runs in between."""

import msgspec
from msgspec import field

from compiler_core.report.vocabulary import GraphRole

# The id of every program's root graph, and the default of every field `graph`.
WHOLE = "whole"


class Saved(msgspec.Struct, frozen=True):
    """One value that a forward graph saves for its backward graph."""

    name: str
    type: str
    bytes: int
    # Lines of the snippet, 1-based, that the value comes from.
    lines: list[int] = field(default_factory=list)
    # Ids of the captured operations that it comes from; empty for an input or a parameter.
    nodes: list[int] = field(default_factory=list)


class Graph(msgspec.Struct, frozen=True):
    """One graph of a program. The graphs are a tree in the order in which they run.

    The first is always the root, "whole": the program itself. Where the program was captured as one
    graph, the root is that graph and the only one. Else the root's children are the pieces between
    graph breaks, or the forward and the backward graph; the regions of an operation (the branches
    of a condition, the body of a loop) are children of the graph that contains the operation.

    Stages, kernels, refusals, buffers, resources and captured operations name their graph's `id`.
    Entries that concern all graphs (numerics, measuring) name the root.
    """

    id: str = WHOLE
    # A name for readers: "piece 1 of 2", "forward", "body of the loop in line 7".
    name: str = ""
    role: GraphRole = "whole"
    # The line of the snippet that it begins at, 1-based.
    line: int | None = None
    # The id of the graph that it is a part of; null for the root alone.
    parent: str | None = None
    # What a forward graph saves for the backward one.
    saved: list[Saved] = field(default_factory=list)
    # The bytes that eager holds of this graph's values during each operation that writes some: each
    # until its last reader is done, which is the least. At the sizes of the call.
    held_eager: list[int] = field(default_factory=list)
    # Bytes of its inputs: of the call's arguments and of what goes from graph to graph; and of the
    # parameters, buffers and constants that the program closes over. None where not told apart.
    given_bytes: int | None = None
    weight_bytes: int | None = None


class PythonSegment(msgspec.Struct, frozen=True):
    """Lines of the snippet that Python runs, before, between or after compiled graphs."""

    # The id of the graph that runs just before; null if none does.
    after: str | None
    # Lines of the snippet, 1-based, both inclusive; null if the code is not in the snippet.
    first_line: int | None
    last_line: int | None
    # The source of those lines.
    text: str = ""
    # Why Python runs it: the reason of the graph break.
    reason: str = ""
    # Bytes that the graph before it leaves in memory, in a call, for graphs that run later; null if
    # there are none, or an earlier segment behind that graph has them.
    bytes: int | None = None
