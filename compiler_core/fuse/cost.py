"""The cost model of fusion: microseconds for a launch, a byte and a repeated operation.

The figures are orders of magnitude that decide which side of a trade-off is larger, not
predictions. Those of a CPU are measured on it (schedule/figures.py). CPU, for what has no
machine, and GPU are small models of each kind: a launch takes 3 us on a GPU (an assumption; XLA's
cost model has 1) and 2 us on a CPU (measured for a parallel region with two threads). Plans are
costed anew, by the target's own figures (schedule/).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod

from compiler_core.ir import ops
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import hint
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import (
    Axis,
    Compute,
    Const,
    Def,
    Index,
    Kernel,
    Load,
    operands,
    roots,
)
from compiler_core.kernel.shares import shares


@dataclass(frozen=True, slots=True)
class CostModel:
    """Microseconds of a launch, and the bytes and operations that a target does in one."""

    launch_us: float
    bytes_per_us: float
    # Elementwise operations of weight 1 (one add) per microsecond, all cores together.
    ops_per_us: float
    # Whether scattered updates have to be applied in a fixed order where the order changes results.
    deterministic: bool = False
    # Whether a loop with a scan is vectorized only if it has no reduction beside it.
    scans_apart: bool = False
    # Whether a loop without a reduction is split where masks change.
    splits: bool = False
    # The machine that these figures were measured on, if it is another than the target; else "".
    assumed: str = ""

    @property
    def ops_per_byte(self) -> float:
        """The arithmetic that takes as long as moving a byte, in adds."""
        return self.ops_per_us / self.bytes_per_us


CPU = CostModel(
    launch_us=2.0, bytes_per_us=20_000.0, ops_per_us=40_000.0, scans_apart=True, splits=True
)
GPU = CostModel(launch_us=3.0, bytes_per_us=2_500_000.0, ops_per_us=20_000_000.0)

# The most operations, buffers and lowered definitions of one kernel: beyond them, registers and
# code size lose what fusion gains (TorchInductor stops at 64 nodes as well). Definitions are
# limited too: an operation that a stencil reads at several places is computed once for each.
MAX_OPS = 64
MAX_BUFFERS = 24
MAX_DEFINITIONS = 512
# How many times its bytes a read across cache lines moves: a GPU's sector has eight f32, and of a
# cache line of sixteen about half is still there for the next rows.
WASTED = 8
# What a masked load takes in a loop that reduces, in adds, and how many elements of a row are few.
# Sums over rows of f32[1024,2048], put together of two, four and sixteen parts, took 802, 1,590 and
# 16,370 us on two cores of an AMD EPYC, and 246, 315 and 287 put together first, by a loop each.
_ASKED, _FEW = 16, 8
# Values alive at once at one point: a GPU thread has 255 registers, and an AVX-512 core 32 of 16.
MAX_LIVE = 96


def saved_us(
    model: CostModel, shared: Iterable[Value], launches: int, unread: Iterable[Value]
) -> float:
    """Microseconds that a merge saves: each shared value is read once less, each value that nobody
    else reads is not written at all, and there are `launches` launches fewer."""
    bytes_ = sum(n.type.at_hint().bytes for n in shared) + sum(
        n.type.at_hint().bytes for n in unread
    )
    return bytes_ / model.bytes_per_us + launches * model.launch_us


def work(kernel: Kernel, model: CostModel) -> float:
    """The work of a kernel, in units of one add. A load counts as one: an element that is loaded
    for several neighbouring points is in cache. Where loops are split at masks, a point
    loads its own part alone and selects nothing; loops with a reduction are not split, and test the
    mask at every element."""
    known = model.splits and not kernel.scattered
    share = shares(kernel, _split(kernel)) if known else {}
    asked = _asked(kernel) if known and kernel.reduce else frozenset[str]()

    def weight(d: Def) -> float:
        return share.get(d.name, 1.0) * _weight(d) + _ASKED * (d.name in asked)

    return _sum(kernel, weight) + _combining(kernel)


def _split(kernel: Kernel) -> Sequence[Axis]:
    """The axes along which nothing is asked at each element. Of a few elements that are combined,
    as of matrices one above the other, each is asked once for a block of neighbours."""
    if not kernel.reduce:
        return kernel.parallel
    return kernel.reduce if prod(a.hint for a in kernel.reduce) <= _FEW else ()


def _asked(kernel: Kernel) -> frozenset[str]:
    """The loads of a reduction whose masks ask for places along single axes: whose part an element
    is of what is put together, padded or interleaved."""
    split = {a.name for a in _split(kernel)}

    def is_asked(mask: str) -> bool:
        definitions = kernel.needed([mask])
        places = [d.access.terms for d in definitions if isinstance(d, Index)]
        axes = {axis for terms in places for axis, _ in terms}
        by_axis = all(len(terms) <= 1 for terms in places)
        by_value = any(isinstance(d, Load) for d in definitions)
        return by_axis and not by_value and not axes <= split

    loads = [d for d in kernel.defs if isinstance(d, Load) and d.mask]
    return frozenset(d.name for d in loads if is_asked(d.mask or ""))


def arithmetic(kernel: Kernel) -> float:
    """The arithmetic of a kernel, in units of one add."""
    weights = _sum(kernel, lambda d: 0 if isinstance(d, Load) else _weight(d))
    return weights + _combining(kernel)


def _weight(d: Def) -> int:
    return ops.OPS[d.op].cost if isinstance(d, Compute) else int(isinstance(d, Load))


def _combining(kernel: Kernel) -> int:
    points = prod(axis.hint for axis in kernel.axes)
    return points * (len(kernel.reductions) + len(kernel.scans))


def _sum(kernel: Kernel, weight: Callable[[Def], float]) -> float:
    """The sum of a weight over the definitions: those inside the loop at every point, row values
    once for each row."""
    points = prod(axis.hint for axis in kernel.axes)
    rows = prod(axis.hint for axis in kernel.parallel)
    inside = kernel.tile_values if kernel.reduce else frozenset(kernel.definitions)
    return sum(weight(d) * (points if d.name in inside else rows) for d in kernel.defs)


def reads_across(kernel: Kernel, buffer: str) -> bool:
    """Whether neighbours in the innermost loop lie in different cache lines of a buffer, although
    along another axis they are adjacent."""
    walked = _walked(kernel)
    loads = (d for d in kernel.defs if isinstance(d, Load) and d.buffer == buffer)
    return walked is not None and any(_is_across(d.access, walked, kernel) for d in loads)


def _walked(kernel: Kernel) -> Axis | None:
    """The axis of the innermost loop."""
    axes = kernel.reduce if kernel.kind in ("row", "full") else kernel.parallel
    return axes[-1] if axes else None


def across_bytes(kernel: Kernel) -> int:
    """Bytes that a reduction reads across: each element lies in another cache line than its
    neighbour in the loop, although along another axis neighbours are adjacent."""
    walked = _walked(kernel)
    if walked is None or not kernel.reduce or not kernel.parallel:
        return 0
    loads = {(d.buffer, d.access): d for d in kernel.defs if isinstance(d, Load)}
    return sum(
        prod(a.hint for a in kernel.axes if access.stride(a.name) != 0) * d.dtype.bytes
        for (_, access), d in loads.items()
        if _is_across(access, walked, kernel)
    )


def _is_across(access: Affine, walked: Axis, kernel: Kernel) -> bool:
    adjacent = any(abs(hint(access.stride(a.name))) == 1 for a in kernel.axes if a is not walked)
    return adjacent and abs(hint(access.stride(walked.name))) > 1


def live_values(kernel: Kernel) -> int:
    """The largest number of values that are live at once when definitions are computed in order: an
    estimate of registers."""
    last: dict[str, int] = {}
    for place, d in enumerate(kernel.defs):
        last |= dict.fromkeys(operands(d), place)
    effects = kernel.effects
    last |= dict.fromkeys(roots(*effects), len(kernel.defs))
    alive: set[str] = set()
    most = 0
    for place, d in enumerate(kernel.defs):
        if not isinstance(d, Const):
            alive.add(d.name)
        most = max(most, len(alive))
        alive -= {name for name in (*operands(d), d.name) if last.get(name, place) <= place}
    return most
