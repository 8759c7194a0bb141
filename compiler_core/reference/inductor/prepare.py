"""A program compiled by TorchInductor: a torch program as its author wrote it, a JAX program as the
torch calls that its graph means.

Times are those of a warm process with every cache disabled. What Inductor does once in a process
(loading its pattern tables, a first compilation) is done by `start` and timed apart. One step that
takes seconds and changes nothing is left out: compiling trial programs to find out whether the C++
compiler supports the processor's vector instructions. Inductor is given the answer.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from unittest import mock

import torch
from torch._inductor.graph import GraphLowering

from compiler_core.capture.captured import Captured
from compiler_core.interop import arrays
from compiler_core.measure.runnable import Costs, Runnable, device_of, waiting
from compiler_core.reference.inductor import figures, hooks
from compiler_core.reference.inductor.bound import NAME, Bound, bind
from compiler_core.reference.inductor.process import headers, private
from compiler_core.reference.result import Reference, artifact
from compiler_core.report import Framework


def prepare(captured: Captured, framework: Framework) -> Reference:
    """Compiles the program and runs it once; a refusal is a value. Raises what torch raises."""
    bound = bind(captured, framework)
    if isinstance(bound, str):
        return Reference("inductor", bound)
    return _prepared(captured, bound, started_ms=start())


def _prepared(captured: Captured, bound: Bound, started_ms: float) -> Reference:
    inputs = bound.prepare(captured.arguments)
    watch = Watch()
    session = captured.session
    with private(reset=session is None), watch.sources():
        start_ns = time.perf_counter_ns()
        with torch.set_grad_enabled(captured.grad):
            compiled = torch.compile(bound.function, backend=watch.backend)
            bound.call(compiled, inputs)
        first_ms = (time.perf_counter_ns() - start_ns) / 1e6
    compile_ms = watch.inner_ns / 1e6
    costs = Costs(watch.before_ms(start_ns), compile_ms, first_ms)
    call = waiting(_with_grad(captured, bound, compiled), device_of(captured))
    outputs = arrays.torch_leaves if session is None else session.outputs
    runnable = Runnable(bound.prepare, call, outputs, costs)
    graphs = f"{len(watch.texts)} graph{'' if len(watch.texts) == 1 else 's'}"
    return Reference(
        "inductor",
        f"{graphs}; starting {NAME} took {started_ms:.0f} ms, once in this process, not counted",
        runnable,
        tuple(artifact("inductor", "python", text) for text in watch.texts),
        figures.of_texts(watch.texts, one_graph=session is None),
        watch.modules,
    )


def _with_grad(captured: Captured, bound: Bound, compiled: Any) -> Callable[[Any], Any]:
    if not captured.grad:
        return lambda given: bound.call(compiled, given)

    def call(given: Any) -> Any:
        with torch.enable_grad():
            return bound.call(compiled, given)

    return call


@dataclass
class Watch:
    """Records torch.compile: when each graph was ready, how long it took to compile it, and the
    generated code."""

    texts: list[str] = field(default_factory=list)
    # Also of graphs that are compiled later, for other values.
    modules: list[Any] = field(default_factory=list)
    inner_ns: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)

    def backend(self, module: Any, examples: Any) -> Any:
        """Inductor's own, with its inner half timed: from AOTAutograd's graph to loaded code."""
        from torch._inductor.compile_fx import compile_fx

        return compile_fx(module, examples, inner_compile=self._inner)

    def _inner(self, module: Any, examples: Any, **options: Any) -> Any:
        from torch._inductor.compile_fx import compile_fx_inner

        begin = time.perf_counter_ns()
        try:
            with hooks.on_modules(self.modules.append):
                return compile_fx_inner(module, examples, **options)
        finally:
            self.spans.append((begin, time.perf_counter_ns()))
            self.inner_ns += self.spans[-1][1] - begin

    def before_ms(self, start_ns: int) -> float:
        """Milliseconds from the call to the graph, over all graphs: Dynamo and AOTAutograd."""
        total, last = 0, start_ns
        for begin, end in self.spans:
            total, last = total + begin - last, end
        return total / 1e6

    @contextmanager
    def sources(self) -> Iterator[None]:
        """Keeps the generated modules' texts."""
        with mock.patch.object(GraphLowering, "save_output_code", staticmethod(self.texts.append)):
            yield


def start() -> float:
    """Milliseconds for what Inductor does once, done here: loading its tables and precompiling
    headers. A fork server may do it for children that see its headers. Starts no threads if torch
    has one thread."""
    return _started(headers())


@cache
def _started(headers: str) -> float:
    begin = time.perf_counter_ns()
    with private(), torch.no_grad():
        torch.compile(lambda x: torch.softmax(x.sin(), -1) + 1)(torch.ones(2, 8))
    return (time.perf_counter_ns() - begin) / 1e6
