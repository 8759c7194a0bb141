"""How a Plan is divided between C and the framework, and where C finds each buffer.

Neighbouring steps that C can run make one segment, which is one C function; the framework runs
the rest: library calls, and matrix products of types that the BLAS does not have. C runs control
flow where it runs every step inside; elsewhere the framework drives, and each region is divided
for itself.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from compiler_core.codegen.c import matmul as c_matmul
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import KernelStep, Matmul, Step


@dataclass(frozen=True)
class Segment:
    """Steps that run together; `entry` is their C function, "" where the framework runs them."""

    entry: str
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Program:
    """`pointers`: the buffers whose addresses are passed, in order. `offsets`: those that lie
    in the arena, in bytes from its start."""

    segments: tuple[Segment, ...]
    made: frozenset[str]  # what the framework computes, in memory of its own
    pointers: tuple[str, ...]
    offsets: Mapping[str, int]
    # Of each plan that a step of the framework's runs, by its name.
    regions: "Mapping[str, Program]" = field(default_factory=dict)

    def walk(self) -> "Iterator[Program]":
        """This one, then those of its regions."""
        yield self
        for region in self.regions.values():
            yield from region.walk()


def runs_in_c(step: Step) -> bool:
    """Whether C can: kernels, products that BLAS has the type for, control flow over these."""
    if step.plans:
        return all(runs_in_c(inner) for plan in step.plans for inner in plan.steps)
    return isinstance(step, KernelStep) or (isinstance(step, Matmul) and c_matmul.is_blas(step))


InC = Callable[[Step], bool]


def divide(plan: Plan, in_c: InC = runs_in_c, prefix: str = "") -> Program:
    """Segments and places of `plan`; `in_c` says of each step whether C runs it. The names of
    entries begin with `prefix`."""
    segments: list[Segment] = []
    for native, steps in groupby(plan.steps, in_c):
        entry = f"{prefix}run{len([s for s in segments if s.entry])}" if native else ""
        segments.append(Segment(entry, tuple(steps)))
    made = frozenset(
        b.name for s in segments if not s.entry for step in s.steps for b in step.outputs
    )
    offsets = {
        p.name: p.offset
        for p in plan.placements
        if p.offset is not None and p.name not in made
    }  # fmt: skip
    names = dict.fromkeys((*plan.inputs, *plan.outputs, *plan.buffers))
    inner = (x for s in segments if not s.entry for step in s.steps for x in step.plans)
    regions = {x.name: divide(x, in_c, f"{x.name}_") for x in inner}
    pointers = tuple(n for n in names if n not in offsets)
    return Program(tuple(segments), made, pointers, offsets, regions)
