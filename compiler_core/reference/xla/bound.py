"""A program in the form that jax.jit compiles: a JAX program as its author wrote it, a torch
program as the jax.lax calls that its graph means."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import jax
import torch

from compiler_core.capture.captured import Captured
from compiler_core.interop import arrays
from compiler_core.ir import eval_jax
from compiler_core.measure.runnable import device_of
from compiler_core.report import Framework

_EACH = "; a look into StableHLO has each as a module, which XLA compiles where it is pasted"
_ONE_OF_DYNAMO = "XLA compiles a graph alone, and Python runs around this program's"


def bind(captured: Captured, framework: Framework) -> "Bound | str":
    """What jax.jit is given; or why XLA cannot compile it, in one sentence."""
    if captured.session is not None:
        graphs = len(captured.graphs)
        why = f"XLA compiles one graph, and this program is {graphs}, with Python between"
        return why + _EACH if graphs > 1 else _ONE_OF_DYNAMO
    if framework == "jax":
        return _bound_jax(captured)
    return eval_jax.refusal(captured.graph) or _elsewhere(captured) or _bound_torch(captured)


def _elsewhere(captured: Captured) -> str | None:
    """A program on the GPU is not held against XLA on the CPU."""
    if device_of(captured) == "cuda" and jax.default_backend() == "cpu":
        return "the program is on the GPU, and this installation of JAX has the CPU only"
    return None


@dataclass(frozen=True)
class Bound:
    """What is compiled, how flat inputs become its (args, kwargs), and under which settings."""

    function: Callable[..., Any]
    prepare: Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]]
    outputs: Callable[[Any], list[torch.Tensor]]
    tracing: Callable[[], AbstractContextManager[Any]] = nullcontext

    def lower(self, captured: Captured) -> Any:
        """The program with its own arguments as StableHLO: a jax.stages.Lowered."""
        args, kwargs = self.prepare(captured.arguments)
        with self.tracing():
            return jax.jit(self.function).lower(*args, **kwargs)


def _bound_jax(captured: Captured) -> Bound:
    return Bound(captured.native, captured.call, arrays.jax_leaves)


def _bound_torch(captured: Captured) -> Bound:
    graph = captured.graph
    return Bound(
        eval_jax.function(graph),
        lambda inputs: (tuple(arrays.to_jax(x) for x in inputs), {}),
        arrays.jax_leaves,
        lambda: jax.enable_x64(eval_jax.needs_x64(graph)),
    )
