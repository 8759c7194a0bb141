"""The CPU of this machine: C with OpenMP, BLAS and oneDNN."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from compiler_core.backends.backend import Built, Compiling, Emitted, Stamps, Text
from compiler_core.codegen.c import ahead
from compiler_core.codegen.c import emit as c
from compiler_core.codegen.writer import Source
from compiler_core.errors import ToolchainError
from compiler_core.fuse import cost
from compiler_core.plan.choose import Chooser, OnCpu
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import Step
from compiler_core.runtime import cpu, gcc, waiting
from compiler_core.runtime.blas import own_cpu
from compiler_core.schedule.targets import CpuTarget


@dataclass(frozen=True)
class Cpu:
    """C with OpenMP for one processor: fused loops, templates, and library calls."""

    machine: CpuTarget = field(default_factory=own_cpu)
    name: str = "cpu"
    language = "c"
    compiles_launches = False

    @property
    def model(self) -> cost.CostModel:
        figures = self.machine.figures
        return cost.CostModel(
            launch_us=figures.call_us + figures.waking_us,
            bytes_per_us=figures.levels[-1].shared,
            ops_per_us=figures.ops * figures.cores,
            scans_apart=True,
            splits=True,
            assumed="" if figures.own else figures.machine,
        )

    @property
    def target(self) -> str:
        return self.machine.name

    @property
    def choose(self) -> Chooser:
        return OnCpu(self.machine)

    def emit(self, plan: Plan) -> Emitted:
        """One C file of everything that C runs."""
        printed = c.emit(plan)
        return Emitted(plan, (Text(printed.source, "c"),), printed)

    def build(self, emitted: Emitted) -> Built:
        return cpu.build(emitted.plan, emitted.printed)

    def build_with_stamps(self, plan: Plan) -> tuple[Built, Stamps]:
        return cpu.build_with_stamps(plan)

    def compile_launches(self, emitted: Emitted) -> Sequence[Compiling]:
        return ()

    def disassembled(self, compiled: Sequence[Any]) -> Sequence[tuple[str, Source] | None]:
        return ()

    def warm_up(self) -> None:
        # Without a compiler each program says so.
        with suppress(ToolchainError):
            gcc.compile_ahead(ahead.text(), ahead.declarations())
            gcc.compile_ahead(ahead.small_text(), ahead.small_declarations())
            gcc.warm_up()

    def begin(self) -> None:
        gcc.begin()

    def end(self) -> None:
        waiting.OWN.end()

    def floor_us(self, step: Step) -> float:
        moved = sum(step.traffic()) / self.model.bytes_per_us
        return max(moved, step.flops() / self.model.ops_per_us)
