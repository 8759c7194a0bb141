"""Kernel and schedule -> Triton source, as a person would write it, with a line map.

One module a Kernel: the imports, the helper functions that its text calls, and one
`@triton.jit` function a launch. Shapes are constants; block sizes are `tl.constexpr` parameters.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from compiler_core.codegen.triton.body import Body, accumulators
from compiler_core.codegen.triton.frame import frame
from compiler_core.codegen.triton.ops import HELPERS
from compiler_core.codegen.writer import Source, Writer
from compiler_core.kernel.kernel import BufferParam, Kernel, Phase, Reduce, Store, roots
from compiler_core.schedule.gpu import GpuSchedule, Part, walks_of

WIDTH = 100


@dataclass(frozen=True)
class Launch:
    """One call: `entry[grid](*arguments, **constexprs, num_warps=...)`, arguments by name."""

    entry: str
    arguments: tuple[BufferParam, ...]
    constexprs: Mapping[str, int]
    grid: tuple[int, int, int]
    num_warps: int


@dataclass(frozen=True)
class TritonSource:
    """`scratch` are the buffers that the launches share and the runtime allocates."""

    kernel: Kernel
    source: Source
    launches: tuple[Launch, ...]
    scratch: tuple[BufferParam, ...] = ()


def emit(kernel: Kernel, schedule: GpuSchedule) -> TritonSource:
    """Prints every launch of `schedule` into one module."""
    functions, launches = [], []
    for part in schedule.parts:
        printer = _Printer(part)
        functions.append(printer.run())
        launches.append(printer.launch())
    own = {b.name for b in kernel.buffers}
    scratch = {b.name: b for x in launches for b in x.arguments if b.name not in own}
    source = _module(kernel.name, functions)
    return TritonSource(kernel, source, tuple(launches), tuple(scratch.values()))


def _module(name: str, functions: list[Source]) -> Source:
    """Imports, helpers and functions, two blank lines apart."""
    body = "".join(f.text for f in functions)
    w = Writer()
    w.lines("import triton", "import triton.language as tl")
    if "libdevice." in body:
        w.line("from triton.language.extra import libdevice")
    for helper, text in HELPERS.items():
        if re.search(rf"\b{helper}\b", body):
            w.lines("", "", *text.splitlines())
    for function in functions:
        w.lines("", "")
        for line, nodes in zip(function.text.splitlines(), function.nodes, strict=False):
            w.line(line, nodes)
    return w.source(name, "python")


class _Printer:
    """Prints one Part."""

    def __init__(self, part: Part) -> None:
        self.part, self.kernel, self.w = part, part.kernel, Writer()
        self.frame = frame(part)
        self.body = Body(
            self.w, self.kernel, self.frame.dims, self.frame.options, self.frame.tile_shape
        )
        self.walks, self.strategy = walks_of(self.kernel), 0

    # -- the function

    def launch(self) -> Launch:
        k, part = self.kernel, self.part
        return Launch(k.name, k.buffers, self.frame.blocks, part.grid, part.num_warps)

    def run(self) -> Source:
        w = self.w
        w.line("@triton.jit")
        params = [f"{b.name}_ptr" for b in self.kernel.buffers]
        self._signature([*params, *(f"{name}: tl.constexpr" for name in self.frame.blocks)])
        with w.indent():
            w.line(f"# {self.part.reason[0].upper()}{self.part.reason[1:]}.")
            w.lines(*self.frame.parallel)
            if self.part.strategy == "persistent":
                w.lines(*self.frame.reduce)
            for phase in self.kernel.phases:
                self._phase(phase)
        return w.source(self.kernel.name, "python")

    def _signature(self, params: list[str]) -> None:
        w, name, origins = self.w, self.kernel.name, self.kernel.origins
        line = f"def {name}({', '.join(params)}):"
        if len(line) <= WIDTH:
            w.line(line, origins)
            return
        w.line(f"def {name}(", origins)
        with w.indent():
            w.lines(*(f"{p}," for p in params))
        w.line("):")

    # -- stages

    def _phase(self, phase: Phase) -> None:
        inside = [e for e in phase.effects if self.kernel.is_tile_effect(e)]
        outside = [e for e in phase.effects if e not in inside]
        if inside and self.part.strategy == "looped":
            self._loop(inside)
        elif inside:
            self._tile(inside)
        for e in outside:
            assert isinstance(e, Store)
            self.body.define(self.kernel.needed((e.value,)))
            self.body.store(e)

    def _tile(self, effects: list[Reduce | Store]) -> None:
        """The whole extent at once; what is defined stays for later stages."""
        for e in effects:
            self.body.define(self.kernel.needed(roots(e)))
            if isinstance(e, Store):
                self.body.store(e)
            else:
                self.body.reduce(e, self.body.combined(e, self._mask(e)))

    def _loop(self, effects: list[Reduce | Store]) -> None:
        """A walk over the reduce axes; row values are computed before it, tile values in it."""
        needed = self.kernel.needed(roots(*effects))
        self.body.define(d for d in needed if d.name not in self.kernel.tile_values)
        if self.frame.p is not None:
            self.body.recover(needed, self.frame.p)
        reduces = [e for e in effects if isinstance(e, Reduce)]
        self._title(effects)
        for reduction in reduces:
            self.body.begin(reduction)
        self.w.line(f"for start in range(0, {self.frame.length}, {self.frame.r_block}):")
        outer = set(self.body.defined)
        with self.w.indent():
            self.w.lines(*self.frame.reduce)
            for e in effects:
                self.body.define(self.kernel.needed(roots(e)))
                if isinstance(e, Store):
                    self.body.store(e)
                else:
                    self.body.accumulate(e, self.body.combined(e, self._mask(e)))
        self.body.defined = outer
        for reduction in reduces:
            self.body.reduce(reduction, accumulators(reduction))

    def _title(self, effects: list[Reduce | Store]) -> None:
        """Which walk over the data this is, where there are several."""
        self.strategy += 1
        if self.walks > 1:
            made = ", ".join(
                name
                for e in effects
                for name in (e.names if isinstance(e, Reduce) else (e.buffer,))
            )
            self.w.line(f"# Walk {self.strategy} of {self.walks}: {made}.")

    def _mask(self, e: Reduce) -> str:
        """Which points of the tile a reduction counts; a value that is the same along the reduce
        axes is spread over them by its mask."""
        if self.frame.r is None:
            return ""
        if self.frame.r.mask or len(e.args) > 1 or e.args[0] in self.kernel.tile_values:
            return self.frame.r.mask
        return f"{self.frame.r.name} < {self.frame.length}"
