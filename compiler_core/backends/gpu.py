"""A GPU, this machine's own or one that is not here: Triton and the vendor's matmul."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from compiler_core.analysis.roofline import estimate_us
from compiler_core.backends.backend import (
    Built,
    Compiling,
    Emitted,
    MachineCode,
    Stamps,
    Text,
)
from compiler_core.codegen.triton import offline
from compiler_core.codegen.triton.emit import Sources, emit_plan
from compiler_core.codegen.triton.module import TritonSource
from compiler_core.codegen.writer import Source
from compiler_core.errors import ToolchainError
from compiler_core.fuse import cost
from compiler_core.ir.types import BF16, F16
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.choose import Chooser, OnGpu
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import Matmul, Step
from compiler_core.schedule.targets import GpuTarget, own_target


@dataclass(frozen=True)
class Gpu:
    """Triton for one GPU target; each launch is compiled by itself."""

    machine: GpuTarget
    name: str = "gpu"
    language = "triton"
    compiles_launches = True

    @property
    def model(self) -> cost.CostModel:
        gpu = self.machine
        return cost.CostModel(
            launch_us=gpu.launch_us,
            bytes_per_us=gpu.bandwidth / 1e6,
            # A fused multiply-add counts as two.
            ops_per_us=gpu.f32_flops / 2e6,
            deterministic=gpu.deterministic,
        )

    @property
    def target(self) -> str:
        return self.machine.name

    @property
    def choose(self) -> Chooser:
        return OnGpu(self.machine)

    def emit(self, plan: Plan) -> Emitted:
        """One Triton module for each generated launch that is not equal to one before."""
        sources = emit_plan(plan)
        texts = tuple(Text(s.source, "triton", s.launch.entry) for s in _distinct(sources))
        return Emitted(plan, texts, sources)

    def build(self, emitted: Emitted) -> Built:
        from compiler_core.runtime import gpu

        return gpu.build(emitted.plan, emitted.printed, target=self.machine)

    def build_with_stamps(self, plan: Plan) -> tuple[Built, Stamps]:
        from compiler_core.runtime import gpu

        return gpu.build_with_stamps(plan, target=self.machine)

    def compile_launches(self, emitted: Emitted) -> Sequence[Compiling]:
        """For each launch, a function that compiles it from TTIR to PTX or AMDGCN, without a
        GPU."""
        return [partial(self._compiled, source) for source in _distinct(emitted.printed)]

    def _compiled(self, source: TritonSource) -> MachineCode | ToolchainError:
        try:
            return offline.compile_offline(source, self.machine)
        except ToolchainError as refused:
            return refused

    def disassembled(
        self, compiled: Sequence[offline.Compiled]
    ) -> Sequence[tuple[str, Source] | None]:
        return offline.disassembled(compiled)

    def warm_up(self) -> None:
        """Compiles the launcher of kernels if this machine has a GPU."""
        if own_target() is not None:
            from compiler_core.runtime import cuda

            cuda.warm_up()

    def begin(self) -> None:
        """Does nothing: Triton is part of this process."""

    def end(self) -> None:
        """Does nothing, since `begin` starts nothing."""

    def floor_us(self, step: Step) -> float:
        moved, flops = sum(step.traffic()), step.flops()
        return estimate_us(moved, flops, self.machine, self._peak(step))

    def _peak(self, step: Step) -> float:
        """Of the matrix units where they may serve a step: products of 16-bit floats."""
        halves = any(b.type.dtype in (F16, BF16) for b in step.inputs)
        is_half = step.kind in _PRODUCTS and halves
        return self.machine.f16_flops if is_half else self.machine.f32_flops


def _distinct(sources: Sources) -> Iterator[TritonSource]:
    """Of equal launches the first, whose name is the function's."""
    return (source for name, source in sources.items() if name == source.launch.entry)


_PRODUCTS = frozenset({Matmul.kind, ConvolutionStep.kind, Attention.kind})
