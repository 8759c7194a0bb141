"""A GPU, this machine's own or one that is not here: Triton and the vendor's matmul."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core.analysis.roofline import estimate_us
from compiler_core.backends.backend import Emitted, Executable, MachineCode, Text
from compiler_core.codegen.triton import offline
from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.fuse import cost
from compiler_core.plan.choose import Chooser, OnGpu
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import Step
from compiler_core.schedule.targets import GpuTarget


@dataclass(frozen=True)
class Gpu:
    machine: GpuTarget
    name: str = "gpu"
    language = "triton"
    compiles_launches = True
    model = cost.GPU

    @property
    def target(self) -> str:
        return self.machine.name

    @property
    def choose(self) -> Chooser:
        return OnGpu(self.machine)

    def emit(self, plan: Plan) -> Emitted:
        """One Triton module for each generated launch."""
        sources = emit_plan(plan)
        texts = tuple(Text(s.source, "triton", name) for name, s in sources.items())
        return Emitted(plan, texts, sources)

    def build(self, emitted: Emitted) -> Executable:
        from compiler_core.runtime import gpu

        return gpu.build(emitted.plan, emitted.printed)

    def compile_launches(self, emitted: Emitted) -> Iterator[MachineCode]:
        """From TTIR to PTX or AMDGCN, without a GPU; structurally equal kernels are compiled
        once."""
        for source in emitted.printed.values():
            yield offline.compile_offline(source, self.machine.name)

    def floor_us(self, step: Step) -> float:
        return estimate_us(sum(step.traffic()), step.flops(), self.machine)
