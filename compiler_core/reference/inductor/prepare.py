"""A program compiled by TorchInductor: a torch program as its author wrote it, a JAX program as the
torch calls that its graph means.

Times are those of a warm process with every cache disabled. What Inductor does once in a process
(loading its pattern tables, a first compilation) is done by `start` and timed apart. One step that
takes seconds and changes nothing is left out: compiling trial programs to find out whether the C++
compiler supports the processor's vector instructions. Inductor is given the answer.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import torch

from compiler_core.capture.captured import Captured
from compiler_core.interop import arrays
from compiler_core.measure.runnable import Costs, by_torch, device_of
from compiler_core.reference.inductor import choices, figures, hooks, modes
from compiler_core.reference.inductor.arguments import of_mode
from compiler_core.reference.inductor.bound import NAME, Bound, bind
from compiler_core.reference.inductor.process import headers, private
from compiler_core.reference.inductor.written import Writing
from compiler_core.reference.result import Reference
from compiler_core.reference.subject import lines_of
from compiler_core.report import Framework
from compiler_core.snippet.output import suppress
from compiler_core.wording import counted


def prepare(captured: Captured, framework: Framework, mode: str = "") -> Reference:
    """Compiles the program in a mode of torch.compile, "" for its default, and runs it once; a
    refusal is a value. Raises what torch raises."""
    bound = bind(captured, framework)
    if isinstance(bound, str):
        return Reference("inductor", bound)
    return _prepared(captured, bound, mode, started_ms=start())


def _prepared(captured: Captured, bound: Bound, mode: str, started_ms: float) -> Reference:
    inputs, arguments = bound.prepare(captured.arguments), of_mode(mode)
    watch = Watch(arguments.inductors)
    session = captured.session
    with private(reset=session is None), watch.listening():
        start_ns = time.perf_counter_ns()
        with torch.set_grad_enabled(captured.grad):
            compiled = torch.compile(bound.function, backend=watch.backend, **arguments.dynamos)
            bound.call(compiled, inputs)
        first_ms = (time.perf_counter_ns() - start_ns) / 1e6
    costs = Costs(watch.before_ms(start_ns), watch.inner_ns / 1e6, first_ms)
    call, device = _with_grad(captured, bound, compiled), device_of(captured)
    outputs = arrays.torch_leaves if session is None else session.outputs
    said = [
        counted(len(watch.texts), "graph"),
        modes.said(mode, watch.seen(device)),
        f"starting {NAME} took {started_ms:.0f} ms, once in this process, not counted",
    ]
    return Reference(
        "inductor",
        "; ".join(filter(None, said)),
        by_torch(bound.prepare, call, outputs, costs, device),
        tuple(each.artifact(partial(lines_of, captured)) for each in watch.writing.done),
        figures.of_texts(watch.texts, session is None, mode),
        tuple(choices.tables(watch.chosen, captured.nodes)),
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
    """Records torch.compile with Inductor's `settings`: when each graph was ready, how long it took
    to compile it, the generated code, and what was chosen."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    writing: Writing = field(default_factory=Writing)
    # The modules, including those of graphs that are compiled later for other values.
    modules: list[Any] = field(default_factory=list)
    inner_ns: int = 0
    spans: list[tuple[int, int]] = field(default_factory=list)
    chosen: list[choices.Choice] = field(default_factory=list)
    # Why a graph is not replayed as a CUDA graph; the sizes that are symbols, each once.
    refused: list[str] = field(default_factory=list)
    symbols: dict[str, None] = field(default_factory=dict)

    @property
    def texts(self) -> list[str]:
        """The texts of the generated modules, one for each graph."""
        return [each.text for each in self.writing.done]

    def backend(self, module: Any, examples: Any) -> Any:
        """Inductor's back end of torch.compile, with its inner half timed: from AOTAutograd's graph
        to loaded code."""
        from torch._inductor.compile_fx import compile_fx

        own = dict(self.settings)
        return compile_fx(module, examples, inner_compile=self._inner, config_patches=own)

    def _inner(self, module: Any, examples: Any, **options: Any) -> Any:
        from torch._inductor.compile_fx import compile_fx_inner

        self.writing.backward = bool(options.get("is_backward"))
        shapes = (x.shape for x in examples if isinstance(x, torch.Tensor))
        self.symbols |= {str(n): None for s in shapes for n in s if isinstance(n, torch.SymInt)}
        begin = time.perf_counter_ns()
        try:
            with hooks.on_modules(self.modules.append):
                compiled = compile_fx_inner(module, examples, **options)
            self.refused += hooks.cudagraphs_refused(compiled)
            return compiled
        finally:
            self.spans.append((begin, time.perf_counter_ns()))
            self.inner_ns += self.spans[-1][1] - begin

    def before_ms(self, start_ns: int) -> float:
        """Milliseconds from the call to the graph, over all graphs: Dynamo and AOTAutograd."""
        total, last = 0, start_ns
        for begin, end in self.spans:
            total, last = total + begin - last, end
        return total / 1e6

    def seen(self, device: str) -> modes.Seen:
        """What was observed, for a program whose tensors are on `device`."""
        return modes.Seen(device, len(self.chosen), self.refused, [*self.symbols])

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Context in which the texts of generated modules are kept, and the results of timing
        candidates, which Inductor also prints."""
        chose = hooks.on_choices(lambda *args: self.chosen.append(choices.choice(*args)))
        with self.writing.listening(), chose, suppress() if self.settings else nullcontext():
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
