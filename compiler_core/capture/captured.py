"""The result of capturing a program: its graphs, and the functions that turn a call's arguments
into the graphs' inputs and outputs into the program's result."""

from collections.abc import Callable, Iterable, Sequence
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
    """A graph in its framework's own notation. `nodes[i]` are the ids of the captured operations of
    line i."""

    text: str
    nodes: tuple[tuple[int, ...], ...]


# Called with each captured operation's id after the framework has run it, and its tensor results as
# they are at that moment, in the form that the graph has (complex ones packed).
Visit = Callable[[int, Sequence[Any]], None]
# Runs a graph by its framework, operation by operation, on the graph's flat inputs; in float64 if
# the flag says so. Raises NoReference where that cannot be done.
Watch = Callable[[Sequence[Any], bool, Visit], None]


@dataclass(frozen=True)
class CapturedGraph:
    """One graph of a program: its IR, and the captured operations that it was lowered from, whose
    ids are unique in the program. `text` is the framework's own notation (ATen calls or a jaxpr),
    and `text_nodes[i]` are the ids of the captured operations of its line i. `name` is for people,
    `id` is the report's."""

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
    # The joint graph that a forward graph and its backward graph were divided from.
    joint: CapturedText | None = None
    watch: Watch | None = None
    # Pairs (output, input) of positions: the output is the new value of the input, and whatever
    # runs the graph leaves it in the argument's memory. `copied` are inputs that the framework
    # itself copies their new values to, since they are not dense.
    replaced: tuple[tuple[int, int], ...] = ()
    copied: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        graph: Graph,
        nodes: Iterable[CapturedOp],
        lines: Iterable[tuple[str, tuple[int, ...]]],
        language: Language,
        **about: Any,
    ) -> "CapturedGraph":
        """The graph with the `lines` of its text, each with the ids of the captured operations in
        it; `about` has the other fields."""
        texts, ids = zip(*lines, strict=True)
        text = "".join(f"{line}\n" for line in texts)
        return cls(graph, tuple(nodes), text, ids, language, **about)


@dataclass(frozen=True)
class Placed:
    """What a tensor of indices selects: elements of `keys` along `dim`, as sorted, where equal
    elements may come in any order. `lines` are integers of the indices' shape: for each index, the
    number of the line of `keys` along `dim` that it belongs to."""

    keys: Any
    dim: int
    lines: Any


class Session(Protocol):
    """A program of several graphs that runs as its author wrote it, with Python between the graphs.
    It may change more than its results: parameters, gradients, an optimizer's state."""

    def prepare(self, flat: Sequence[Any]) -> Any:
        """Restores the state that earlier runs have changed, and returns what `eager` and
        `compiled` take: (args, kwargs) made of copies of the flat inputs."""
        ...

    def anew(self, flat: Sequence[Any]) -> Any:
        """Returns what `prepare` does, but leaves the state as the last run has left it."""

    def eager(self, given: Any) -> Any:
        """Runs the function by its framework, operation by operation; returns its result."""

    def compiled(self, given: Any) -> Any:
        """Runs the function with each graph run by the executable that `link` gave it."""

    def by_tracer(self, given: Any) -> Any:
        """Runs the function as TorchDynamo has rewritten it, with each graph run by the framework:
        where its results differ from `eager`'s, that is the tracer's doing."""

    def by_gradient_tracer(self, given: Any) -> Any:
        """Runs the function like `by_tracer`, but with graphs for gradients made by the framework's
        own tracer of gradients (torch's AOTAutograd)."""

    def outputs(self, result: Any) -> list[Any]:
        """The tensors of a result, then every tensor that the run may have changed."""
        ...

    def results(self, result: Any) -> list[Any]:
        """The tensors of a result alone."""
        ...

    def placed(self, flat: Sequence[Any]) -> Sequence[Placed | None]:
        """For each of the `outputs` of a run on the flat inputs, what it holds indices of; None for
        an output that holds no indices."""
        ...

    def link(
        self,
        executables: Sequence[Callable[..., Any]],
        late: "Late",
        notify: Callable[[str, int], None],
    ) -> None:
        """Makes graph i of the program run by `executables[i]` from now on. `late` compiles a graph
        that is first met in a later run, where Python took another branch. `notify` is called with
        a sentence and a line when a function is no longer compiled."""

    def linked(
        self, executables: Sequence[Callable[..., Any]], late: "Late"
    ) -> Callable[[Any], Any]:
        """`compiled` as a function whose graph i is run by `executables[i]`, later graphs by what
        `late` compiles. After each call the executables that were linked before are in place
        again."""
        ...

    def change(self, changed: Callable[[Any], Any]) -> None:
        """Replaces the value of each tensor of the state by `changed(value)`, until the state is
        restored."""

    def restore(self) -> None:
        """Restores the state that runs have changed."""

    def has_overflowed(self) -> bool:
        """Whether runs have turned finite numbers of the state into infinities or NaN."""
        ...


@dataclass(frozen=True)
class Outside:
    """What the framework runs itself in each call, outside of all graphs: the number of operations
    that it launches, and the bytes that they read and write. `of` are the modules ("" for none) and
    lines of the snippet that they come from; `draws` whether any takes random numbers from the
    framework's generator."""

    launches: int = 0
    bytes: int = 0
    of: tuple[tuple[str, int | None], ...] = ()
    draws: bool = False


# Compiles a graph that was not met at capture, because a value made Python take another branch.
Late = Callable[[CapturedGraph], Callable[..., Any]]


@dataclass(frozen=True)
class Captured:
    """A program of one graph, or of several that a session runs as one.

    `arguments` are the graph's inputs, in the order of `graph.inputs`, as the framework's own
    tensors: the leaves of the call's arguments, then the parameters, buffers and constants that
    the program closes over; with a session, the leaves of the arguments alone. `fresh(seed)` makes
    such a list anew with random values for the floating-point leaves of the arguments, keeping
    parameters and everything else; `smaller()` has these leaves at a hundredth of their size or so,
    so that what is decided by a size is decided the other way; `special(seed)` puts NaN, infinities
    and zeros of both signs among the values that these leaves have. `rebuild` turns the program's
    flat outputs into its own result structure.
    """

    graphs: tuple[CapturedGraph, ...]
    arguments: Sequence[Any]
    fresh: Callable[[int], tuple[Any, ...]]
    special: Callable[[int], tuple[Any, ...]]
    smaller: Callable[[], tuple[Any, ...]]
    rebuild: Callable[[Sequence[Any]], Any]
    # The same program over flat inputs, run by the framework itself, operation by operation:
    # what `eager` measures. Takes what `arguments` holds, returns the flat outputs.
    eager: Callable[[Sequence[Any]], list[Any]]
    # `eager` in float64, whichever dtypes the program names: the reference for results. Raises
    # NoReference where the framework cannot run it so.
    exact: Callable[[Sequence[Any]], list[Any]]
    # `eager`'s function as the user wrote it, over the call's own (args, kwargs), for the
    # reference compilers: torch.compile(native)(*args, **kwargs).
    native: Callable[..., Any]
    call: Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]]
    # As `native`, with the same numbers and faster from the second call on: for callers that time
    # nothing.
    again: Callable[..., Any] | None = None
    graph_breaks: tuple[GraphBreak, ...] = ()
    # Names of the inputs that the program writes to in place. Their new values are the graph's
    # last outputs, after the program's own; `eager` works on copies of them and gives them too.
    written: tuple[str, ...] = ()
    # `eager` with another function in the program's place, such as what a reference compiler made
    # of `native`; None for a program that only its own framework can run.
    by: Callable[[Callable[..., Any], Sequence[Any]], list[Any]] | None = None
    # What Python runs between the graphs.
    python: tuple[PythonSegment, ...] = ()
    session: Session | None = None
    # For each argument, the names of the dimensions that are symbols; and why others are not, or
    # none are, though the call has sizes that vary.
    sizes: tuple[tuple[str, ...], ...] = ()
    specialised: str = ""
    # The line of the snippet that asked for a size, where it is known.
    asked_on: int | None = None
    # Whether the program runs a backward pass: without autograd it cannot be run.
    grad: bool = False
    # Calls for an effect alone, which no graph contains: the function, and the line.
    effects: tuple[tuple[str, int | None], ...] = ()
    outside: Outside = Outside()
    # Factorizations that its graphs compute themselves, for which its framework calls LAPACK.
    factorizations: tuple[str, ...] = ()

    @property
    def whole(self) -> CapturedGraph:
        """The one graph of a program. Raises ValueError if there are several."""
        (whole,) = self.graphs
        return whole

    @property
    def graph(self) -> Graph:
        """The one graph, with symbolic sizes replaced by those of the captured call."""
        return at_hint(self.whole.graph)

    def graph_for(self, inputs: Sequence[Any]) -> Graph:
        """The one graph, with symbolic sizes replaced by those that `inputs` have."""
        return at_shapes(self.whole.graph, [tuple(x.shape) for x in inputs])

    @property
    def nodes(self) -> tuple[CapturedOp, ...]:
        """The captured operations of all graphs, in order."""
        return tuple(node for each in self.graphs for node in each.nodes)
