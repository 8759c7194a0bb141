"""The result of fusion: groups of operations, each one kernel, and a refusal for each edge left."""

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


# A step of the program: a group, or an opaque operation, represented by its first result.
Unit = Group | Value


@dataclass(frozen=True)
class Refusal:
    """An edge between producer and consumer that was not fused, with the reason. `left_to_plan`:
    one of the two is a template, and the plan decides and replaces the reason."""

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
    # The values that every kernel reading them recomputes, so that none is written to memory.
    recomputed: tuple[Value, ...] = ()
    # For each pair that a person forced into one kernel, why it is not; "" if it is.
    forced: Mapping[tuple[Value, Value], str] = field(default_factory=dict)

    def walk(self) -> Iterator["Fused"]:
        """This result, then those of all nested regions."""
        yield self
        for region in self.regions.values():
            yield from region.walk()
