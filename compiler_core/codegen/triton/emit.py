"""From kernel and schedule to Triton source, as a person would write it, with a line map.

There is a module for each distinct launch: the imports, the helper functions that it calls, and one
`@triton.jit` function. Sizes are constants, or arguments if they are symbolic; block sizes are
`tl.constexpr` parameters.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from compiler_core.codegen.triton.attention import emit_attention
from compiler_core.codegen.triton.body import Body, accumulators
from compiler_core.codegen.triton.convolution import emit_convolution
from compiler_core.codegen.triton.frame import frame, needs_int64
from compiler_core.codegen.triton.matmul import emit_matmul
from compiler_core.codegen.triton.module import Launch, TritonSource, jit, module, signature
from compiler_core.codegen.triton.sort import emit_sort
from compiler_core.codegen.triton.sort_passes import emit_pass
from compiler_core.codegen.writer import Source, Writer
from compiler_core.kernel.effects import Effect, Phase, Reduce, Scan, Store
from compiler_core.kernel.kernel import roots
from compiler_core.plan import equal, plan
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.fused_convolution import FusedConvolution
from compiler_core.plan.fused_matmul import FusedMatmul
from compiler_core.plan.gpu import sorts as gpu_sorts
from compiler_core.plan.gpu.convolutions import IMPLICIT
from compiler_core.plan.gpu.sort_passes import SortPass
from compiler_core.plan.sort import Sort
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.gpu.attention import STRATEGY as ATTENTION
from compiler_core.schedule.gpu.attention import GpuAttentionSchedule
from compiler_core.schedule.gpu.matmul import GpuMatmulSchedule
from compiler_core.schedule.gpu.schedule import SPLIT_K, STRATEGIES, GpuSchedule
from compiler_core.schedule.gpu.sort import MERGE, GpuSort

# By the launch's name.
Sources = Mapping[str, TritonSource]


def emit_plan(whole: plan.Plan) -> Sources:
    """The modules of the launches that Triton runs, in order; equal launches share one."""
    generated = [x for x in whole.walk() if x.schedule.strategy in _EMIT]
    found = {name: x for alike in equal.classes(generated) for name, x in _shared(alike)}
    return {x.step.name: found[x.step.name] for x in generated}


def _shared(alike: Sequence[equal.Form]) -> Iterator[tuple[str, TritonSource]]:
    """The text of the first one, for each with arguments of its own."""
    first = alike[0]
    printed = _EMIT[first.launch.schedule.strategy](first.launch)
    lines = equal.united(printed.source.nodes, alike)
    source = replace(printed.source, nodes=lines)
    for each in alike:
        own = dict(zip(first.names, each.names, strict=True))
        arguments = tuple(replace(b, name=own[b.name]) for b in printed.launch.arguments)
        yield each.name, TritonSource(source, replace(printed.launch, arguments=arguments))


def _kernel(launch: plan.Launch) -> TritonSource:
    return emit(cast(GpuSchedule, launch.schedule))


def _matmul(launch: plan.Launch) -> TritonSource:
    step, schedule = launch.step, launch.schedule
    return emit_matmul(cast(Matmul | FusedMatmul, step), cast(GpuMatmulSchedule, schedule))


def _split_k(launch: plan.Launch) -> TritonSource:
    """The product of each part of k, or what adds these."""
    return _kernel(launch) if launch.step.kernel else _matmul(launch)


def _attention(launch: plan.Launch) -> TritonSource:
    return emit_attention(cast(Attention, launch.step), cast(GpuAttentionSchedule, launch.schedule))


def _sort(launch: plan.Launch) -> TritonSource:
    return emit_sort(cast(Sort, launch.step), cast(GpuSort, launch.schedule))


def _sort_pass(launch: plan.Launch) -> TritonSource:
    return emit_pass(cast(SortPass, launch.step), cast(GpuSort, launch.schedule))


def _convolution(launch: plan.Launch) -> TritonSource:
    step, schedule = launch.step, launch.schedule
    return emit_convolution(
        cast(ConvolutionStep | FusedConvolution, step), cast(GpuMatmulSchedule, schedule)
    )


# By strategy.
_EMIT: Mapping[str, Callable[[plan.Launch], TritonSource]] = {
    **dict.fromkeys(STRATEGIES, _kernel),
    **dict.fromkeys(gpu_sorts.STRATEGIES, _sort),
    MERGE: _sort_pass,
    "matmul": _matmul,
    SPLIT_K: _split_k,
    ATTENTION: _attention,
    IMPLICIT: _convolution,
}


def emit(schedule: GpuSchedule) -> TritonSource:
    """The module of one launch."""
    printer = _Printer(schedule)
    return TritonSource(module(printer.run()), printer.launch())


class _Printer:
    """Prints one launch."""

    def __init__(self, part: GpuSchedule) -> None:
        self.part, self.kernel, self.w = part, part.kernel, Writer()
        self.frame = frame(part)
        self.body = Body(
            self.w, self.kernel, self.frame.dims, self.frame.options, self.frame.tile_shape
        )
        self.passes, self.current = self.kernel.passes, 0

    # -- the function

    def launch(self) -> Launch:
        k, part = self.kernel, self.part
        return Launch(
            k.name, k.buffers, self.frame.blocks, part.grid, part.num_warps, k.symbols, part.cover
        )

    def run(self) -> Source:
        w = self.w
        sizes = [str(symbol) for symbol in self.kernel.symbols]
        w.line(jit(self.kernel.symbols))
        params = [*(f"{b.name}_ptr" for b in self.kernel.buffers), *sizes]
        signature(
            w,
            self.kernel.name,
            [*params, *(f"{name}: tl.constexpr" for name in self.frame.blocks)],
            self.kernel.origins,
        )
        with w.indent():
            w.line(f"# {self.part.reason[0].upper()}{self.part.reason[1:]}.")
            if needs_int64(self.kernel):
                w.lines(*(f"{size} = {size}.to(tl.int64)" for size in sizes))
            w.lines(*self.frame.parallel)
            if self.part.loop == "persistent":
                w.lines(*self.frame.reduce)
            for phase in self.kernel.phases:
                self._phase(phase)
        return w.source(self.kernel.name, "python")

    # -- phases

    def _phase(self, phase: Phase) -> None:
        inside = [e for e in phase.effects if self.kernel.is_tile_effect(e)]
        outside = [e for e in phase.effects if e not in inside]
        if inside and self.part.loop == "looped":
            self._loop(inside)
        elif inside:
            self._tile(inside)
        for e in outside:
            assert isinstance(e, Store)
            self.body.define(self.kernel.needed(roots(e)))
            self.body.store(e)

    def _tile(self, effects: list[Effect]) -> None:
        """The whole extent in one tile; definitions remain available to later phases."""
        for e in effects:
            self.body.define(self.kernel.needed(roots(e)))
            if isinstance(e, Store):
                self.body.store(e)
            elif isinstance(e, Scan):
                self.body.scan(e)
            else:
                self.body.reduce(e, self.body.combined(e, self._mask(e)))

    def _loop(self, effects: list[Effect]) -> None:
        """A loop over the reduce axes; row values are computed before it, tile values inside."""
        needed = self.kernel.needed(roots(*effects))
        self.body.define(d for d in needed if d.name not in self.kernel.tile_values)
        if self.frame.p is not None:
            self.body.recover(needed, self.frame.p)
        reduces = [e for e in effects if isinstance(e, Reduce)]
        self._title(effects)
        for reduction in reduces:
            self.body.begin(reduction)
        for scan in (e for e in effects if isinstance(e, Scan)):
            self.body.begin_scan(scan, self.frame.row_shape)
        self.w.line(f"for start in range(0, {self.frame.length}, {self.frame.r_block}):")
        outer = set(self.body.defined)
        with self.w.indent():
            self.w.lines(*self.frame.reduce)
            for e in effects:
                self.body.define(self.kernel.needed(roots(e)))
                if isinstance(e, Store):
                    self.body.store(e)
                elif isinstance(e, Scan):
                    self.body.scan_on(e, self.frame.r.mask if self.frame.r else "")
                else:
                    self.body.accumulate(e, self.body.combined(e, self._mask(e)))
        self.body.defined = outer
        for reduction in reduces:
            self.body.reduce(reduction, accumulators(reduction))

    def _title(self, effects: list[Effect]) -> None:
        """A comment with the number of this pass over the data, if there are several."""
        self.current += 1
        if self.passes > 1:
            found = ", ".join(
                name for e in effects for name in ((e.buffer,) if isinstance(e, Store) else e.names)
            )
            self.w.line(f"# Pass {self.current} of {self.passes} over the data: {found}.")

    def _mask(self, e: Reduce) -> str:
        """The mask of the points that a reduction counts; it also broadcasts a value that is
        constant along the reduce axes."""
        if self.frame.r is None:
            return ""
        if self.frame.r.mask or len(e.args) > 1 or e.args[0] in self.kernel.tile_values:
            return self.frame.r.mask
        return f"{self.frame.r.name} < {self.frame.length}"
