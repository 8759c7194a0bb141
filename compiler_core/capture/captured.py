"""What capturing a program gives: the graph, and how real arguments go in and results come out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core.ir.graph import Graph
from compiler_core.report import CapturedOp, GraphBreak, Language


@dataclass(frozen=True)
class Captured:
    """`text` is the framework's own form (ATen or jaxpr), `text_nodes` its line map.

    `arguments` are the graph's inputs, in the order of `graph.inputs`, as the framework's own
    tensors: the leaves of the call's arguments, then the parameters, buffers and constants that
    the program closes over. `fresh(seed)` makes such a list anew with random values for the
    floating-point leaves of the arguments, keeping parameters and everything else. `rebuild`
    turns the graph's outputs into the program's own result structure.
    """

    graph: Graph
    nodes: tuple[CapturedOp, ...]
    text: str
    text_nodes: tuple[tuple[int, ...], ...]
    language: Language
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
