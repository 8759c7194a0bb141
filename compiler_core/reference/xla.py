"""A program through XLA: a JAX program as its author wrote it, a torch program as the jax.lax
calls that its graph means."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import jax
import torch

from compiler_core.capture.captured import Captured
from compiler_core.interop import arrays
from compiler_core.ir import eval_jax
from compiler_core.measure.runnable import Costs, Runnable, device_of
from compiler_core.reference.result import Reference, artifact
from compiler_core.report import Framework

_ONE_OF_DYNAMO = "XLA compiles a graph alone, and Python runs around this program's"


def prepare(captured: Captured, framework: Framework) -> Reference:
    """Compiles the program and runs it once; a refusal is a value. Raises what JAX raises."""
    if captured.session is not None:
        graphs = len(captured.graphs)
        why = f"XLA compiles one graph, and this program is {graphs}, with Python between"
        return Reference("xla", why if graphs > 1 else _ONE_OF_DYNAMO)
    if framework == "torch":
        why_not = eval_jax.refusal(captured.graph) or _elsewhere(captured)
        if why_not:
            return Reference("xla", why_not)
    bound = _bound_torch(captured) if framework == "torch" else _bound_jax(captured)
    return _prepared(captured, bound)


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


def _prepared(captured: Captured, bound: Bound) -> Reference:
    args, kwargs = bound.prepare(captured.arguments)
    jitted = jax.jit(bound.function)
    begin = time.perf_counter()
    with bound.tracing():
        lowered = jitted.lower(*args, **kwargs)
    traced = time.perf_counter()
    compiled = lowered.compile()
    finished = time.perf_counter()
    jax.block_until_ready(compiled(*args, **kwargs))
    costs = Costs(
        capture_ms=(traced - begin) * 1e3,
        compile_ms=(finished - traced) * 1e3,
        first_call_ms=(time.perf_counter() - begin) * 1e3,
    )
    runnable = Runnable(
        bound.prepare,
        lambda given: jax.block_until_ready(compiled(*given[0], **given[1])),
        bound.outputs,
        costs,
    )
    artifacts = (
        artifact("stablehlo", "stablehlo", lowered.as_text()),
        artifact("hlo", "text", compiled.as_text()),
    )
    return Reference("xla", "jax.jit, compiled ahead of the first call", runnable, artifacts)
