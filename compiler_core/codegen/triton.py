"""Kernel and schedule -> Triton source, as a person would write it, with a line map.

One module a Kernel: the imports, the helper functions that its text calls, and one
`@triton.jit` function a launch. Shapes are constants; block sizes are `tl.constexpr` parameters.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from compiler_core.codegen.triton_body import Body, accumulator
from compiler_core.codegen.triton_index import Dim
from compiler_core.codegen.triton_ops import HELPERS
from compiler_core.codegen.writer import Source, Writer
from compiler_core.schedule.gpu import GpuSchedule, Part
from compiler_core.schedule.kernel import BufferParam, Kernel, Reduce, Stage, Store, root

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
        k = part.kernel
        self.points = prod(a.extent for a in k.parallel)
        self.length = prod(a.extent for a in k.reduce)
        self.tiled = bool(k.reduce) and part.block_p > 1
        self.downward = k.kind == "column" and self.tiled
        self.p_name, self.r_name = _variables(k)
        self.p_block, self.r_block = self._block_names()
        self.p_dim, self.r_dim = self._dims()
        dims = tuple(d for d in (self.p_dim, self.r_dim) if d is not None)
        axis = 1 if self.tiled and not self.downward else 0
        folds = f"axis={axis}" + (", keep_dims=True" if self.tiled else "")
        self.body = Body(self.w, k, dims, folds)

    def _block_names(self) -> tuple[str, str]:
        if not self.tiled:
            return "BLOCK", "BLOCK"
        return f"{self.p_name.upper()}S", f"{self.r_name.upper()}S"

    def _dims(self) -> tuple[Dim | None, Dim | None]:
        p, r = self.kernel.parallel, self.kernel.reduce
        p_masked, r_masked = self.points % self.part.block_p, self.length % self.part.block_r
        p_mask = f"{self.p_name}_mask" if r and p_masked else "mask" if p_masked else ""
        r_mask = f"{self.r_name}_mask" if r_masked and self.tiled else "mask" if r_masked else ""
        return (
            Dim(self.p_name, p, p_mask) if p else None,
            Dim(self.r_name, r, r_mask) if r else None,
        )

    # -- the function

    def launch(self) -> Launch:
        blocks: dict[str, int] = {}
        if self.part.block_p > 1 or self.part.walk == "flat":
            blocks[self.p_block] = self.part.block_p
        if self.kernel.reduce:
            blocks[self.r_block] = self.part.block_r
        grid = (self.part.programs, 1, 1)
        return Launch(self.kernel.name, self.kernel.buffers, blocks, grid, self.part.num_warps)

    def run(self) -> Source:
        w, launch = self.w, self.launch()
        w.line("@triton.jit")
        params = [f"{b.name}_ptr" for b in self.kernel.buffers]
        params += [f"{name}: tl.constexpr" for name in launch.constexprs]
        self._signature(params)
        with w.indent():
            w.line(f"# {self.part.reason[0].upper()}{self.part.reason[1:]}.")
            self._parallel_index()
            if self.part.walk == "resident":
                self._reduce_index("")
            for stage in self.kernel.stages:
                self._stage(stage)
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

    def _parallel_index(self) -> None:
        if self.p_dim is None:
            return
        program = "tl.program_id(0)"
        if max(b.type.numel for b in self.kernel.buffers) >= 2**31:
            program += ".to(tl.int64)"
        if self.part.block_p == 1 and self.part.walk != "flat":
            self.w.line(f"{self.p_name} = {program}")
            return
        text = f"{program} * {self.p_block} + tl.arange(0, {self.p_block})"
        if self.tiled:
            text = f"({text}){'[None, :]' if self.downward else '[:, None]'}"
        self.w.line(f"{self.p_name} = {text}")
        if self.p_dim.mask:
            self.w.line(f"{self.p_dim.mask} = {self.p_name} < {self.points}")

    def _reduce_index(self, start: str) -> None:
        assert self.r_dim is not None
        text = f"tl.arange(0, {self.r_block})"
        if self.tiled:
            text += "[:, None]" if self.downward else "[None, :]"
        self.w.line(f"{self.r_name} = {start}{text}")
        if self.r_dim.mask:
            self.w.line(f"{self.r_dim.mask} = {self.r_name} < {self.length}")

    # -- stages

    def _stage(self, stage: Stage) -> None:
        inside = [e for e in stage.effects if self.kernel.is_tile_effect(e)]
        outside = [e for e in stage.effects if e not in inside]
        if inside and self.part.walk == "looped":
            self._loop(inside)
        elif inside:
            self._tile(inside)
        for e in outside:
            assert isinstance(e, Store)
            self.body.define(self.kernel.needed((e.value,)))
            self.body.store(e, tile=self.part.walk == "flat")

    def _tile(self, effects: list[Reduce | Store]) -> None:
        """The whole extent at once; what is defined stays for later stages."""
        for e in effects:
            self.body.define(self.kernel.needed((root(e),)))
            if isinstance(e, Store):
                self.body.store(e, tile=True)
            else:
                self.body.fold(e, self.body.folded(e, self._fold_mask(e)))

    def _loop(self, effects: list[Reduce | Store]) -> None:
        """A walk over the reduce axes; row values are computed before it, tile values in it."""
        needed = self.kernel.needed(root(e) for e in effects)
        self.body.define(d for d in needed if d.name not in self.kernel.tile_values)
        if self.p_dim is not None:
            self.body.recover(needed, self.p_dim)
        folds = [e for e in effects if isinstance(e, Reduce)]
        shape = self._tile_shape()
        for fold in folds:
            self.body.begin(fold, shape)
        self.w.line(f"for start in range(0, {self.length}, {self.r_block}):")
        outer = set(self.body.defined)
        with self.w.indent():
            self._reduce_index("start + ")
            for e in effects:
                self.body.define(self.kernel.needed((root(e),)))
                if isinstance(e, Store):
                    self.body.store(e, tile=True)
                else:
                    self.body.accumulate(e, self.body.folded(e, self._fold_mask(e)))
        self.body.defined = outer
        for fold in folds:
            self.body.fold(fold, accumulator(fold))

    def _tile_shape(self) -> str:
        if not self.tiled:
            return "(BLOCK,)"
        shape = (self.p_block, self.r_block)
        return f"({', '.join(shape[::-1] if self.downward else shape)})"

    def _fold_mask(self, e: Reduce) -> str:
        """Which points of the tile a fold counts; a value that is the same along the reduce
        axes is spread over them by its mask."""
        assert self.r_dim is not None
        if self.r_dim.mask or e.arg in self.kernel.tile_values:
            return self.r_dim.mask
        return f"{self.r_name} < {self.length}"


def _variables(kernel: Kernel) -> tuple[str, str]:
    if not kernel.reduce or not kernel.parallel:
        return "index", "index"
    return ("column", "row") if kernel.kind == "column" else ("row", "column")
