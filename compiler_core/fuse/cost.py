"""What a launch, a byte and a repeated operation cost, in microseconds.

The figures are orders of magnitude that decide which side of a trade is larger, not predictions:
a launch from XLA's GPU cost model (1 us) and the measured cost of a parallel region with two
threads on a CPU (2 us); bandwidth and arithmetic throughput of one small model of each kind.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from compiler_core.ir import ops
from compiler_core.ir.graph import Value


@dataclass(frozen=True, slots=True)
class CostModel:
    launch_us: float
    bytes_per_us: float
    # Elementwise operations of weight 1 (one add) per microsecond, all cores together.
    ops_per_us: float


CPU = CostModel(launch_us=2.0, bytes_per_us=20_000.0, ops_per_us=40_000.0)
GPU = CostModel(launch_us=3.0, bytes_per_us=2_500_000.0, ops_per_us=20_000_000.0)

# More than these in one kernel and registers or code size lose what fusion gains (TorchInductor
# stops at 64 nodes as well).
MAX_OPS = 64
MAX_BUFFERS = 24


def saved_us(
    model: CostModel, shared: Iterable[Value], launches: int, unread: Iterable[Value]
) -> float:
    """Gain of a merge: each shared value is read once less, each value that nobody else reads is
    not written at all, and there are `launches` fewer."""
    bytes_ = sum(n.type.bytes for n in shared) + sum(n.type.bytes for n in unread)
    return bytes_ / model.bytes_per_us + launches * model.launch_us


def repeated_us(model: CostModel, producers: Iterable[Value], points: int) -> float:
    """Loss of a merge: operations over few elements, done again at each of `points` elements."""
    work = sum(ops.OPS[n.op].cost * max(0, points - n.type.numel) for n in producers)
    return work / model.ops_per_us
