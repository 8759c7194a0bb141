"""The least time in which a program can run on this machine: what it must move at the bandwidth
that was measured, or the matrix products that it must compute at the rate that was. A smaller time
is an error of measurement. And the roof that both are for its kernels."""

from collections.abc import Sequence
from dataclasses import dataclass

from compiler_core.analysis import traffic
from compiler_core.analysis.products import products
from compiler_core.ir.graph import Graph
from compiler_core.ir.substitute import at_hint
from compiler_core.measure import bandwidth, peak

# In these fewer operations not even a call is noticed: nothing is measured for them.
_FEW = 4_000_000


@dataclass(frozen=True)
class Floor:
    """`us` is the least time in microseconds, 0 where none is known; `by` says what takes it."""

    us: float = 0.0
    by: str = ""


NO_FLOOR = Floor()


@dataclass(frozen=True)
class Roof:
    """What the machine does at most: `bandwidth` in bytes a second for what a program moves,
    `flops` operations a second on f32; 0 where it was not measured."""

    bandwidth: float = 0.0
    flops: float = 0.0


NO_ROOF = Roof()


def roof(graphs: Sequence[Graph], device: str) -> Roof:
    """That of a program of these graphs."""
    needed = max((traffic.needed(at_hint(graph)) for graph in graphs), default=0)
    return Roof(bandwidth.roof(needed, device), peak.roof(device))


def floor(graphs: Sequence[Graph], device: str) -> Floor:
    """The largest of the floors of `graphs`, each of which runs in a call at the sizes of its
    hints."""
    known = [at_hint(graph) for graph in graphs]
    found = [each for graph in known for each in (_bytes(graph, device), _flops(graph, device))]
    return max(found, key=lambda each: each.us, default=NO_FLOOR)


def _bytes(graph: Graph, device: str) -> Floor:
    needed = traffic.needed(graph)
    return Floor(bandwidth.floor_us(needed, device), f"{needed / 2**20:.3g} MiB to be moved")


def _flops(graph: Graph, device: str) -> Floor:
    needed = products(graph)
    total = sum(needed.values())
    if total < _FEW:
        return NO_FLOOR
    us = sum(peak.floor_us(flops, dtype.name, device) for dtype, flops in needed.items())
    return Floor(us, f"{total / 1e9:.3g} GFLOP of matrix products")
