"""What fusion returns: groups of operations, and why they are not fewer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from compiler_core.fuse import cost
from compiler_core.fuse.clusters import Cluster
from compiler_core.ir.graph import Region, Value
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.kernel import Kernel
from compiler_core.report.reasons import Reason


@dataclass(frozen=True, eq=False)
class Group(Cluster):
    """Operations that become one kernel."""

    kernel: Kernel
    model: cost.CostModel

    @cached_property
    def work(self) -> float:
        """The work of its kernel, as the cost model counts it."""
        return cost.work(self.kernel, self.model)


# What is a step: the first result of an opaque operation stands for it.
Unit = Group | Value


@dataclass(frozen=True)
class Refusal:
    """An edge that was not fused: its producer and consumer, and the reason; or that it is left to
    the plan, which knows the real one."""

    producer: Value
    consumer: Value
    reason: Reason
    left_to_plan: bool = False


@dataclass(frozen=True)
class Fused:
    """The result of fusion for a region and those nested in it. In `values` the views are
    materialized that no loop nest can read in place."""

    values: FusionView
    groups: tuple[Group, ...]
    refusals: tuple[Refusal, ...]
    names: dict[Value, str]
    regions: Mapping[Region, "Fused"] = field(default_factory=dict)
    # What each kernel that reads it computes for itself, so that nobody writes it.
    recomputed: tuple[Value, ...] = ()
    # Of the pairs that were to share a kernel, why they do not; "" of those that do.
    forced: Mapping[tuple[Value, Value], str] = field(default_factory=dict)

    def walk(self) -> Iterator["Fused"]:
        """This result, then those of all nested regions."""
        yield self
        for region in self.regions.values():
            yield from region.walk()
