"""Records TorchInductor's compilation as plain values."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from compiler_core.reference.fx_text import lines_of, text_of
from compiler_core.reference.inductor import hooks
from compiler_core.reference.inductor.records import (
    Compiled,
    Defined,
    Fired,
    Lowered,
    Pair,
    Passes,
    Phase,
)
from compiler_core.reference.inductor.text_hooks import text_only
from compiler_core.reference.inductor.units import buffers_of, unit_of
from compiler_core.reference.inductor.value_hooks import on_values
from compiler_core.reference.inductor.values import Values
from compiler_core.reference.origins import inherit, merge, origin_of, origins_of

# The most pairs of scheduler nodes that are kept for one graph: more come from unrolled loops.
_MOST_PAIRS = 20_000


@dataclass
class Recording:
    """All graphs that were compiled within `listening`, in order."""

    compiled: list[Compiled] = field(default_factory=list)
    phases: list[Phase] = field(default_factory=list)
    # Whether graphs run; false while only texts are written.
    running: bool = True
    _passes: Passes | None = None
    _open: list[tuple[str, int, int]] = field(default_factory=list)
    _runs: Any = None
    _considered: list[tuple[Any, Any, str, bool]] = field(default_factory=list)
    # The values of the kernel that is being written.
    _values: Values = field(default_factory=Values)

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Context in which Inductor only generates texts, and its steps are recorded."""
        with ExitStack() as stack:
            for each in (
                hooks.on_phases(self._phase_began, self._phase_ended),
                hooks.on_passes(self._passes_began, self._passes_ended),
                hooks.on_patterns(self._fired),
                hooks.on_schedule(self._scheduled, self._fused),
                hooks.on_fusion(self._considers),
                hooks.on_kernels(self._defined),
                on_values(self._named),
                text_only(self._written),
            ):
                stack.enter_context(each)
            yield

    def backend(self, module: Any, examples: Any) -> Any:
        """A back end of torch.compile: Inductor's, except that torch runs the graphs."""
        from torch._inductor.compile_fx import compile_fx

        self.compiled.append(Compiled())
        return compile_fx(module, examples, inner_compile=self.inner)

    def inner(self, module: Any, examples: Any, **options: Any) -> Any:
        """Inductor's inner half: from AOTAutograd's graph to code."""
        from torch._inductor.compile_fx import compile_fx_inner

        role = "backward" if options.get("is_backward") else "forward"
        if options.get("is_inference"):
            role = ""
        kept = hooks.copy_of(module)
        self.compiled[-1].lowered.append(Lowered(role, kept, list(examples), dict(options)))
        asked = bool(options.get("cudagraphs"))
        compiled = compile_fx_inner(module, examples, **options)
        self._now.cudagraphs = asked
        self._now.cudagraphs_refused = hooks.cudagraphs_refused(compiled)
        return compiled

    @property
    def _now(self) -> Lowered:
        return self.compiled[-1].lowered[-1]

    def _passes_began(self, group: str, module: Any) -> None:
        self._passes = Passes(group, lines_of(module))
        late = group == hooks.LAST_PASSES
        (self._now if late else self.compiled[-1]).passes.append(self._passes)
        if late and self.running:
            self._runs = hooks.copy_of(module)

    def _passes_ended(self, group: str, module: Any) -> None:
        if self._passes is not None:
            self._passes.after, self._passes = lines_of(module), None

    def _fired(self, name: str, matched: list[Any], after: list[Any]) -> None:
        if self._passes is None:
            return
        known = [at for _, at in matched if at is not None]
        for node in after if known else ():
            inherit(node, known[-1])
        if len(after) == 1:
            merge(after[0], known)
        origins = tuple(sorted({*origins_of(after), *known}))
        old = tuple(text for text, _ in matched)
        new = tuple(text_of(n) for n in after)
        self._passes.fired.append(Fired(name, old, new, origins))

    def _scheduled(self, scheduler: Any) -> None:
        self._considered = []
        self._now.before = [unit_of(n) for n in scheduler.nodes]

    def _considers(self, first: Any, second: Any, reason: str, fused: bool) -> None:
        if len(self._considered) < _MOST_PAIRS:
            self._considered.append((first, second, reason, fused))

    def _fused(self, scheduler: Any) -> None:
        now = self._now
        now.after = [unit_of(n) for n in scheduler.nodes]
        now.buffers = buffers_of(scheduler)
        met = {id(n): n for pair in self._considered for n in pair[:2]}
        units = {key: unit_of(n) for key, n in met.items()}
        now.pairs = [
            Pair(units[id(a)], units[id(b)], reason, fused)
            for a, b, reason, fused in self._considered
        ]
        self._considered = []

    def _named(self, name: str, text: str, node: Any) -> None:
        origin = origin_of(node)
        if origin is not None:
            self._values.add(name, text, origin)

    def _defined(self, name: str, nodes: list[Any]) -> None:
        self._now.values.setdefault(name, Values()).update(self._values)
        self._values = Values()
        members = tuple(m.get_name() for n in nodes for m in n.get_nodes())
        known = {k.name: k for k in self._now.kernels}
        if name in known:  # one text for equal work: what it is made of is of all of them
            at = self._now.kernels.index(known[name])
            self._now.kernels[at] = replace(known[name], members=known[name].members + members)
        else:
            self._now.kernels.append(Defined(name, members))

    def _written(self, graph: Any, text: str) -> Callable[[list[Any]], Any]:
        self._now.text, self._now.device = text, graph.device_type
        nodes = ((node.name, origin_of(node)) for node in graph.module.graph.nodes)
        self._now.nodes = {name: at for name, at in nodes if at is not None}
        module = self._runs

        def run(given: list[Any]) -> Any:
            inputs = list(given)
            given.clear()
            with torch.no_grad():
                return module(*inputs)

        return run

    def _phase_began(self, name: str, time_ns: int) -> None:
        self._open.append((name, time_ns, len(self.phases)))
        self.phases.append(Phase(name, len(self._open) - 1, 0.0))

    def _phase_ended(self, name: str, time_ns: int) -> None:
        """A phase that raised has left its beginning behind, and those within it."""
        while any(each[0] == name for each in self._open):
            began, since, at = self._open.pop()
            self.phases[at] = replace(self.phases[at], ms=(time_ns - since) / 1e6)
            if began == name:
                break
        if self._passes is not None and name.startswith(hooks.SINGLE_PASS):
            self._passes.ms.append((name, self.phases[at].ms))
