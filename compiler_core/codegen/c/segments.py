"""How a Plan is divided between C and the framework, and where C finds each buffer.

Neighbouring steps that C can run make one segment, which is one C function; the framework runs
the rest: library calls, and matrix products of types that the BLAS does not have.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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


def runs_in_c(step: Step) -> bool:
    """Whether C can: kernels, and products that BLAS has the type for."""
    return isinstance(step, KernelStep) or (isinstance(step, Matmul) and c_matmul.is_blas(step))


InC = Callable[[Step], bool]


def divide(plan: Plan, in_c: InC = runs_in_c) -> Program:
    """Segments and places of `plan`; `in_c` says of each step whether C runs it."""
    segments: list[Segment] = []
    for native, steps in groupby(plan.steps, in_c):
        entry = f"run{len([s for s in segments if s.entry])}" if native else ""
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
    return Program(tuple(segments), made, tuple(n for n in names if n not in offsets), offsets)
