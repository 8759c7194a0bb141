"""The launches of a plan divided into segments, each of which C or the framework runs, and where C
finds each buffer.

Consecutive launches whose strategies C implements form a segment, which is one C function. The
framework runs the others: library calls, and products by libraries that are reached through it. For
control flow that the framework runs, each region is divided in the same way.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from compiler_core.ir.sizes import Symbol
from compiler_core.plan.choose import IN_C
from compiler_core.plan.control import Control
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.steps import Step


@dataclass(frozen=True)
class Segment:
    """Consecutive launches; `entry` is their C function, "" if the framework runs them."""

    entry: str
    launches: tuple[Launch, ...]


@dataclass(frozen=True)
class Program:
    """`pointers`: the buffers whose addresses are passed, in order. `offsets`: the buffers in the
    arena, in bytes from its start. `over`: the buffers that share the memory of another, by name,
    with that other. `within`: the buffers of loops and branches that C drives, as (name of the
    workspace, bytes from its start)."""

    segments: tuple[Segment, ...]
    of_framework: frozenset[str]  # what the framework computes, in memory of its own
    pointers: tuple[str, ...]
    offsets: Mapping[str, int]
    over: Mapping[str, str]
    within: Mapping[str, tuple[str, int]]
    # The programs of the plans within steps that the framework runs, by the plans' names.
    regions: "Mapping[str, Program]" = field(default_factory=dict)
    # Sizes that differ from call to call; the offsets are then those of one call.
    symbols: tuple[Symbol, ...] = ()

    @property
    def places(self) -> tuple[int, ...]:
        """All offsets in bytes: those in the arena, then those within workspaces."""
        return (*self.offsets.values(), *(at for _, at in self.within.values()))

    def walk(self) -> "Iterator[Program]":
        """This program, then those of its regions."""
        yield self
        for region in self.regions.values():
            yield from region.walk()


def divide(plan: Plan, symbols: tuple[Symbol, ...] = (), prefix: str = "") -> Program:
    """The segments and buffer places of `plan`, whose calls have sizes of their own for `symbols`;
    the names of entries begin with `prefix`."""
    segments: list[Segment] = []
    for native, launches in groupby(plan.launches, lambda x: x.schedule.strategy in IN_C):
        entry = f"{prefix}run{len([s for s in segments if s.entry])}" if native else ""
        segments.append(Segment(entry, tuple(launches)))
    of_framework = frozenset(
        b.name for s in segments if not s.entry for x in s.launches for b in x.step.outputs
    )
    offsets = {
        p.name: p.offset
        for p in plan.placements
        if p.offset is not None and p.name not in of_framework
    }  # fmt: skip
    names = dict.fromkeys((*plan.inputs, *plan.outputs, *plan.buffers))
    inner = (p for s in segments if not s.entry for x in s.launches for p in x.step.plans)
    regions = {x.name: divide(x, symbols, f"{x.name}_") for x in inner}
    pointers = tuple(n for n in names if n not in offsets and n not in plan.over)
    driven = launches_of(s for s in segments if s.entry)
    within = dict(pair for launch in driven for pair in _within(launch.step))
    return Program(
        tuple(segments), of_framework, pointers, offsets, plan.over, within, regions, symbols
    )  # fmt: skip


def _within(step: Step) -> Iterator[tuple[str, tuple[str, int]]]:
    if isinstance(step, Control) and step.workspace is not None:
        for name, at in step.offsets.items():
            yield name, (step.workspace.name, at)


def launches_of(segments: Iterable[Segment]) -> Iterator[Launch]:
    """Every launch of the segments, including those inside control flow."""
    for segment in segments:
        yield from launches_within(segment.launches)


def launches_within(launches: Iterable[Launch]) -> Iterator[Launch]:
    """`launches`, each followed by those inside its control flow."""
    for launch in launches:
        yield launch
        for plan in launch.step.plans:
            yield from plan.walk()
