"""A plan: launches in order over named buffers, with a place in memory for each.

A plan is made for one backend and contains every decision: what is launched, in which order, with
which schedule, and where every buffer lies. Printers and runtimes only read it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from compiler_core.ir.graph import Region
from compiler_core.ir.sizes import Symbol, symbols
from compiler_core.ir.types import TensorType
from compiler_core.plan.side import Side
from compiler_core.plan.steps import Step
from compiler_core.report.reasons import Reason
from compiler_core.schedule.choice import Candidate, Schedule, Scope, candidate_names


@dataclass(frozen=True)
class Launch:
    """A step with its schedule, and the candidates that were considered with their modelled
    costs: for the step, or for all launches of a template that it stands for. `cost_us` is the
    modelled cost of this launch alone. `decisions` are the candidates of each template whose
    choice this launch shows, the innermost first."""

    step: Step
    schedule: Schedule
    candidates: tuple[Candidate, ...] = ()
    cost_us: float = 0.0
    decisions: tuple[tuple[Candidate, ...], ...] = ()
    # The launch's place among others that threads call side by side.
    side: Side | None = None
    # The scope of the candidates if that is more than the step: a template that the launch is part
    # of.
    of: Scope | None = field(default=None, compare=False)

    @property
    def named(self) -> tuple[tuple[str, Candidate], ...]:
        """Each candidate with its name, which is unique among them (`candidate_names`)."""
        return tuple(zip(candidate_names(self.candidates), self.candidates, strict=True))


@dataclass(frozen=True)
class Declined:
    """Two steps that a template nearly joined, with those between them, and why it did not."""

    first: Step
    last: Step
    reason: Reason


@dataclass(frozen=True)
class Choice:
    """A step, which a template may have joined from several, and the launches that run it."""

    step: Step
    launches: tuple[Launch, ...]


@dataclass(frozen=True)
class Placement:
    """The live range of a buffer (numbers of launches) and its offset in the arena in bytes; None
    for parameters, outputs and constants, which have memory of their own."""

    name: str
    type: TensorType
    first: int
    last: int
    offset: int | None = None
    origins: tuple[int, ...] = ()


@dataclass(frozen=True)
class Plan:
    """`inputs` and `outputs` name buffers in the order of the graph's. One buffer may be several
    outputs, and an input may be an output: a caller may write into one of them, so that all but the
    first are copies (`copied`). `output_types` has the shapes of the outputs: a buffer may be
    returned with another shape (same elements, same order). `over` maps each output that is the new
    value of an input and lies in its memory to that input: a call changes that argument."""

    name: str
    launches: tuple[Launch, ...]
    buffers: Mapping[str, TensorType]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    output_types: tuple[TensorType, ...]
    placements: tuple[Placement, ...] = ()
    arena_bytes: int = 0
    origins: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    # Steps that nearly became a template, and why they did not.
    declined: tuple[Declined, ...] = ()
    # The steps before templates were joined, and the choice for each step that is left after it.
    drafted: tuple[Step, ...] = ()
    choices: tuple[Choice, ...] = ()
    # The graph, or the region of an operation, that this is the plan of.
    region: Region | None = None
    # Whether denormal numbers are zeros on a CPU, as XLA has them there and PyTorch has not.
    flushes_denormals: bool = False
    over: Mapping[str, str] = field(default_factory=dict)

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbolic sizes in the shapes of the inputs, by name."""
        shapes = (self.buffers[name].shape for name in self.inputs)
        return tuple(sorted({s for shape in shapes for d in shape for s in symbols(d)}))

    @property
    def copied(self) -> tuple[bool, ...]:
        """For each output, whether its buffer is also an input or an earlier output, so that it is
        copied."""
        return tuple(
            name in self.inputs or name in self.outputs[:i] for i, name in enumerate(self.outputs)
        )

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(launch.step for launch in self.launches)

    def walk(self) -> Iterator[Launch]:
        """Every launch, each followed by those that it runs itself."""
        for launch in self.launches:
            yield launch
            for plan in launch.step.plans:
                yield from plan.walk()
