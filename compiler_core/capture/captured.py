"""What capturing a program gives: its graphs, and how real arguments go in and results come out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from compiler_core.ir.graph import Graph
from compiler_core.ir.substitute import at_hint, at_shapes
from compiler_core.report import (
    WHOLE,
    CapturedOp,
    GraphBreak,
    GraphRole,
    Language,
    PythonSegment,
    Saved,
)


@dataclass(frozen=True)
class CapturedText:
    """The framework's own form of a graph, with the captured operations of each line."""

    text: str
    nodes: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class CapturedGraph:
    """One graph of a program. `text` is the framework's own form (ATen or jaxpr), `text_nodes`
    its line map; the numbers of `nodes` are unique in the program. `name` is for a person."""

    graph: Graph
    nodes: tuple[CapturedOp, ...]
    text: str
    text_nodes: tuple[tuple[int, ...], ...]
    language: Language
    id: str = WHOLE
    name: str = ""
    role: GraphRole = "whole"
    line: int | None = None
    # What a forward graph keeps for its backward graph.
    saved: tuple[Saved, ...] = ()
    # The joint graph that a forward graph and its backward graph were cut out of.
    joint: CapturedText | None = None


class Session(Protocol):
    """A program of several graphs as one: its author's function really runs, with Python between
    the graphs. It may change more than its results (parameters, gradients, an optimizer's state):
    `prepare` puts that back and gives (args, kwargs) for flat inputs, `outputs` are the flat
    results of a call and all that it may have changed."""

    def prepare(self, flat: Sequence[Any]) -> Any: ...

    def eager(self, given: Any) -> Any:
        """The function, run by the framework."""

    def compiled(self, given: Any) -> Any:
        """The function, with each graph run by what was linked."""

    def outputs(self, result: Any) -> list[Any]: ...

    def exact(self, flat: Sequence[Any]) -> list[Any]:
        """The outputs, computed in float64."""

    def link(self, executables: Sequence[Callable[..., Any]], late: "Late") -> None:
        """From here on the program's graphs run as `executables`, in the order of its graphs."""

    def restore(self) -> None:
        """Puts everything back that runs have changed."""


# Compiles a graph that was not met at capture: another value took Python another way.
Late = Callable[[CapturedGraph], Callable[..., Any]]


@dataclass(frozen=True)
class Captured:
    """A program of one graph, or of several that a session runs as one.

    `arguments` are the graph's inputs, in the order of `graph.inputs`, as the framework's own
    tensors: the leaves of the call's arguments, then the parameters, buffers and constants that
    the program closes over; with a session, the leaves of the arguments alone. `fresh(seed)` makes
    such a list anew with random values for the floating-point leaves of the arguments, keeping
    parameters and everything else. `rebuild` turns the program's flat outputs into its own result
    structure.
    """

    graphs: tuple[CapturedGraph, ...]
    arguments: Sequence[Any]
    fresh: Callable[[int], tuple[Any, ...]]
    rebuild: Callable[[Sequence[Any]], Any]
    # The same program over flat inputs, run by the framework itself, operation by operation:
    # what `eager` measures. Takes what `arguments` holds, returns the flat outputs.
    eager: Callable[[Sequence[Any]], list[Any]]
    # `eager`'s function as the user wrote it, over the call's own (args, kwargs), for the
    # reference compilers: torch.compile(native)(*args, **kwargs).
    native: Callable[..., Any]
    call: Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]]
    graph_breaks: tuple[GraphBreak, ...] = ()
    # Names of the inputs that the program writes to in place. Their new values are the graph's
    # last outputs, after the program's own; `eager` works on copies of them and gives them too.
    written: tuple[str, ...] = ()
    # What Python runs between the graphs.
    python: tuple[PythonSegment, ...] = ()
    session: Session | None = None
    # Of each argument, the names of the dimensions that are symbols; and why others are not, or
    # none are, though the call has sizes that vary.
    sizes: tuple[tuple[str, ...], ...] = ()
    specialised: str = ""
    # Whether the program runs a backward pass: without autograd it cannot be run.
    grad: bool = False

    @property
    def whole(self) -> CapturedGraph:
        """The graph of a program that is one."""
        (whole,) = self.graphs
        return whole

    @property
    def graph(self) -> Graph:
        """With the sizes of the captured call."""
        return at_hint(self.whole.graph)

    def graph_for(self, inputs: Sequence[Any]) -> Graph:
        """With the sizes that `inputs` have."""
        return at_shapes(self.whole.graph, [tuple(x.shape) for x in inputs])

    @property
    def nodes(self) -> tuple[CapturedOp, ...]:
        """Of all graphs."""
        return tuple(node for each in self.graphs for node in each.nodes)
