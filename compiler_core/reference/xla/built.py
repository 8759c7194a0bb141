"""One graph, compiled by XLA."""

import time
from dataclasses import dataclass
from typing import Any

from compiler_core import report
from compiler_core.reference.xla import anew, hlo, stablehlo
from compiler_core.reference.xla.bound import Bound
from compiler_core.reference.xla.figures import figures
from compiler_core.reference.xla.places import Places
from compiler_core.reference.xla.texts import shown


@dataclass(frozen=True)
class Built:
    """A graph compiled ahead of its first call: the results of lowering and of compiling, with the
    milliseconds of each."""

    lowered: Any
    compiled: Any
    traced_ms: float
    compiled_ms: float

    @property
    def module(self) -> hlo.Module:
        """The optimized module, from which code was generated."""
        return hlo.parse(self.compiled.as_text())

    def artifacts(self, places: Places, name: str = "") -> tuple[report.Artifact, ...]:
        """The StableHLO that XLA was given, and the optimized module; `name` is that of the graph
        if the program has several."""
        after = f" {name}" if name else ""
        given = stablehlo.shown(self.lowered.as_text(debug_info=True), places, after)
        return given, shown(f"hlo{after}", self.module, places)

    def figures(self) -> report.CompilerSummary:
        """The graph's figures."""
        return figures(self.compiled, self.module)


def build(bound: Bound) -> Built:
    """Compiles a graph. Raises what JAX raises."""
    begin = time.perf_counter()
    lowered = bound.lower()
    traced = time.perf_counter()
    with bound.tracing(), anew.compiling():
        compiled = lowered.compile()
    finished = time.perf_counter()
    return Built(lowered, compiled, (traced - begin) * 1e3, (finished - traced) * 1e3)
