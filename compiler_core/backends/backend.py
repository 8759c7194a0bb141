"""What the pipeline asks of a backend, and what it is handed: it knows no other names.

    fusion cost ▸ launches of a step ▸ texts of a plan ▸ a callable on this machine
                                                       ▸ machine code for one that is not here

A backend is a value: two that are equal make equal plans.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from compiler_core.codegen.writer import Source
from compiler_core.fuse.cost import CostModel
from compiler_core.plan.choose import Chooser
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import Step

# Takes the plan's inputs in order and returns its outputs in order.
Executable = Callable[[Sequence[Any]], list[torch.Tensor]]


@dataclass(frozen=True)
class Text:
    """A generated text. `kernel` is the launch that it is of, None where it is of all."""

    source: Source
    kind: str
    kernel: str | None = None


@dataclass(frozen=True)
class Emitted:
    """A plan as text. `printed` is what the backend itself needs of it to go on."""

    plan: Plan
    texts: tuple[Text, ...]
    printed: Any = None


class MachineCode(Protocol):
    """One launch, compiled without running it. `texts` are the levels down to assembly."""

    @property
    def name(self) -> str: ...
    @property
    def texts(self) -> Mapping[str, Source]: ...
    @property
    def registers(self) -> int | None: ...
    @property
    def spills(self) -> int | None: ...
    @property
    def shared_bytes(self) -> int: ...
    @property
    def num_warps(self) -> int: ...

    def disassembled(self) -> tuple[str, Source] | None:
        """The machine code as text and the kind of text it is; None where `texts` has it. May
        take longer than compiling did."""
        ...


class Backend(Protocol):
    """`name` is what the report calls its plan: "cpu", "gpu"; `target` the machine planned for;
    `language` of its texts; `model` what fusion weighs merges by; `compiles_launches` says whether
    there is machine code to show without the machine."""

    @property
    def name(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def language(self) -> str: ...
    @property
    def compiles_launches(self) -> bool: ...
    @property
    def model(self) -> CostModel: ...
    @property
    def choose(self) -> Chooser:
        """The launches of a step, each with its schedule and what else was considered."""
        ...

    def emit(self, plan: Plan) -> Emitted:
        """The plan printed."""
        ...

    def build(self, emitted: Emitted) -> Executable:
        """The program on this machine. Raises ToolchainError where that is not possible."""
        ...

    def compile_launches(self, emitted: Emitted) -> Iterator[MachineCode]:
        """Each launch's machine code, one after the other. Raises ToolchainError."""
        ...

    def floor_us(self, step: Step) -> float:
        """Microseconds that a launch takes at the least on the target: a roofline."""
        ...
