"""The Backend protocol: everything that the pipeline asks of a backend, and what it gets.

    fusion cost ▸ launches of a step ▸ texts of a plan ▸ a callable on this machine
                                                       ▸ machine code for another machine

Backends are values: equal backends make equal plans.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from compiler_core.codegen.writer import Source
from compiler_core.errors import ToolchainError
from compiler_core.fuse.cost import CostModel
from compiler_core.plan.choose import Chooser
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import Step

# Takes the plan's inputs in order and returns its outputs in order.
Executable = Callable[[Sequence[Any]], list[torch.Tensor]]


class Built(Protocol):
    """A callable program. `note` says why it is slower than it could be; "" if it is not."""

    @property
    def note(self) -> str: ...
    def __call__(self, arguments: Sequence[Any]) -> list[torch.Tensor]: ...


class Stamp(Protocol):
    """The times at which a launch, named by its step, began and ended: nanoseconds of
    time.perf_counter_ns."""

    @property
    def launch(self) -> str: ...
    @property
    def begin_ns(self) -> int: ...
    @property
    def end_ns(self) -> int: ...


class Stamps(Protocol):
    """Collects the stamps that the launches of a program write."""

    def take(self) -> Sequence[Stamp]:
        """The stamps since the last call of this method, in order."""
        ...


@dataclass(frozen=True)
class Text:
    """A generated text. `kernel` is the launch that it belongs to, None for a text of the whole
    plan."""

    source: Source
    kind: str
    kernel: str | None = None


@dataclass(frozen=True)
class Emitted:
    """A plan as text. `printed` is the backend's own representation, which `build` uses."""

    plan: Plan
    texts: tuple[Text, ...]
    printed: Any = None


class MachineCode(Protocol):
    """One launch, compiled without being run. `texts` are the levels down to assembly."""

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


# Returns the machine code of a launch, or the error of a launch that the toolchain refuses.
Compiling = Callable[[], MachineCode | ToolchainError]


class Backend(Protocol):
    """`name` identifies its plans in the report: "cpu" or "gpu". `target` is the machine that it
    plans for, `language` that of its texts, and `model` has the costs by which fusion decides.
    `compiles_launches`: machine code can be shown without having the machine."""

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
        """The chooser, which gives each step its launches, with their schedules and the candidates
        that were considered."""
        ...

    def emit(self, plan: Plan) -> Emitted:
        """Prints the plan."""
        ...

    def build(self, emitted: Emitted) -> Built:
        """The program, callable on this machine. Raises ToolchainError where it cannot be built."""
        ...

    def build_with_stamps(self, plan: Plan) -> tuple[Built, Stamps]:
        """The program, with launches that record when they begin and end; of a loop or a branch,
        the launches within it do. Raises ToolchainError as `build` does."""
        ...

    def compile_launches(self, emitted: Emitted) -> Sequence[Compiling]:
        """For each launch, a function that compiles it."""
        ...

    def disassembled(self, compiled: Sequence[Any]) -> Sequence[tuple[str, Source] | None]:
        """The machine code of each of this backend's launches as text, and the kind of text; None
        where its `texts` already contain it. May take longer than compiling. Raises
        ToolchainError."""
        ...

    def warm_up(self) -> None:
        """Compiles helpers that many programs share, for this process and those forked from it."""
        ...

    def begin(self) -> None:
        """Starts processes that take long to start and that build this process's programs. Returns
        at once."""
        ...

    def end(self) -> None:
        """Ends the processes that `begin` or `build` has started; building a program starts them
        again."""
        ...

    def floor_us(self, step: Step) -> float:
        """A lower bound of a launch's time on the target in microseconds, by the roofline model."""
        ...
