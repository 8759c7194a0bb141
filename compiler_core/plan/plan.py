"""A program ready to print: steps in order over named buffers, with a place for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from compiler_core.ir.types import TensorType
from compiler_core.plan.steps import Step


@dataclass(frozen=True)
class Placement:
    """One buffer's live range (step numbers) and its place in the arena, None for a parameter,
    an output or a constant, which have memory of their own."""

    name: str
    type: TensorType
    first: int
    last: int
    offset: int | None = None
    origins: tuple[int, ...] = ()


@dataclass(frozen=True)
class Plan:
    """`inputs` and `outputs` name buffers in the order of the graph's; one buffer may be several
    outputs, and an input may be an output (it is then returned as a copy). `output_types`
    has the outputs' shapes: a buffer may be returned under another (same elements, same order).
    """

    name: str
    steps: tuple[Step, ...]
    buffers: Mapping[str, TensorType]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    output_types: tuple[TensorType, ...]
    placements: tuple[Placement, ...] = ()
    arena_bytes: int = 0
    origins: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def walk(self) -> Iterator[Step]:
        """Every step, followed by those that it runs itself."""
        for step in self.steps:
            yield step
            for plan in step.plans:
                yield from plan.walk()
