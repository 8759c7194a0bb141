"""A program in the form that jax.jit compiles: a JAX program as its author wrote it, a torch
program as the jax.lax calls that its graph means, one of several graphs graph by graph."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import jax

from compiler_core.capture.captured import Captured, CapturedGraph
from compiler_core.interop import arrays
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir import eval_jax
from compiler_core.ir.substitute import at_hint
from compiler_core.ir.types import TensorType
from compiler_core.measure.runnable import device_of
from compiler_core.report import WHOLE, Framework


@dataclass(frozen=True)
class Bound:
    """What jax.jit is given: the function, how flat inputs become its (args, kwargs), and the
    settings under which it is traced. `arguments` are flat inputs, or their types; `name` is the
    graph's name for people, `graph` its id in the report."""

    function: Callable[..., Any]
    prepare: Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]]
    arguments: Sequence[Any]
    tracing: Callable[[], AbstractContextManager[Any]] = nullcontext
    graph: str = WHOLE
    name: str = ""

    def lower(self) -> Any:
        """The program with its own arguments as StableHLO: a jax.stages.Lowered."""
        args, kwargs = self.prepare(self.arguments)
        with self.tracing():
            return jax.jit(self.function).lower(*args, **kwargs)


def bind(captured: Captured, framework: Framework) -> list[Bound] | str:
    """What jax.jit is given for each graph of the program; or, in one sentence, why XLA cannot
    compile it."""
    if captured.session is not None:
        return _bound_pieces(captured)
    if framework == "jax":
        return [Bound(captured.native, captured.call, captured.arguments)]
    refused = eval_jax.refusal(captured.graph) or _elsewhere(captured)
    return refused or [_of_graph(captured.whole, captured.arguments)]


def _elsewhere(captured: Captured) -> str | None:
    """A program on the GPU is not held against XLA on the CPU."""
    if device_of(captured) == "cuda" and jax.default_backend() == "cpu":
        return "the program is on the GPU, and this installation of JAX has the CPU only"
    return None


def _bound_pieces(captured: Captured) -> list[Bound] | str:
    bound = []
    for each in captured.graphs:
        found = bind_piece(each)
        if isinstance(found, str):
            return found
        bound.append(found)
    return _elsewhere(captured) or bound or "no part of the program became a graph"


def bind_piece(captured: CapturedGraph) -> Bound | str:
    """What jax.jit is given for one graph among several; or, in one sentence, why XLA cannot
    compile it."""
    refused = eval_jax.refusal(captured.graph)
    if refused:
        return f"{refused}, in {captured.name or captured.id}"
    types = [x.type for x in at_hint(captured.graph).inputs]
    return _of_graph(captured, [_of_type(t) for t in types])


def _of_graph(captured: CapturedGraph, arguments: Sequence[Any]) -> Bound:
    graph = at_hint(captured.graph)
    return Bound(
        eval_jax.function(graph),
        lambda inputs: (tuple(arrays.to_jax(x) for x in inputs), {}),
        arguments,
        lambda: jax.enable_x64(eval_jax.needs_x64(graph)),
        captured.id,
        captured.name,
    )


def _of_type(type_: TensorType) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(type_.shape, NUMPY[type_.dtype.name])
