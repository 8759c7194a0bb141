"""The memory plan: live ranges of buffers, and places for the temporaries in one arena.

Buffers are placed greedily, the largest first, each at the lowest offset that no buffer with an
overlapping live range occupies: first fit by decreasing size. XLA's BufferAssignment takes the
smallest gap that fits instead.
"""

from collections.abc import Mapping, Sequence

from compiler_core.ir.types import TensorType
from compiler_core.plan.plan import Placement
from compiler_core.plan.steps import Step

# The widest vector and the cache line are both 64 bytes.
ALIGNMENT = 64


def place(
    steps: Sequence[Step],
    buffers: Mapping[str, TensorType],
    inputs: Sequence[str],
    outputs: Sequence[str],
    origins: Mapping[str, tuple[int, ...]],
    moments: Sequence[int] = (),
) -> tuple[tuple[Placement, ...], int]:
    """Placements in order of first use, and the size of the arena in bytes. With symbolic sizes
    these are for the captured call; binding.py places the buffers of each call anew. `moments`:
    when each step runs, where some run side by side."""
    size = {name: type_.at_hint().bytes for name, type_ in buffers.items()}
    first, last = _live(steps, inputs, outputs, moments or range(len(steps)))
    own_memory = {*inputs, *outputs}
    offsets: dict[str, int] = {}
    temporaries = [b for b in buffers if b not in own_memory and b in first]
    for name in sorted(temporaries, key=lambda b: (-size[b], first[b])):
        taken = sorted(
            (offsets[o], offsets[o] + _aligned(size[o]))
            for o in offsets
            if first[o] <= last[name] and first[name] <= last[o]
        )
        offsets[name] = _lowest_gap(taken, size[name])
    arena = max((offsets[b] + _aligned(size[b]) for b in offsets), default=0)
    order = sorted((b for b in buffers if b in first), key=lambda b: (first[b], b))
    return tuple(
        Placement(b, buffers[b], first[b], last[b], offsets.get(b), origins.get(b, ()))
        for b in order
    ), arena


def _live(
    steps: Sequence[Step],
    inputs: Sequence[str],
    outputs: Sequence[str],
    moments: Sequence[int],
) -> tuple[dict[str, int], dict[str, int]]:
    """The first and the last moment at which each buffer is used; inputs are live from -1, outputs
    to the end."""
    first = dict.fromkeys(inputs, -1)
    last = dict.fromkeys(inputs, -1)
    for number, step in zip(moments, steps, strict=True):
        for buffer in (*step.inputs, *step.outputs, *step.scratch):
            first.setdefault(buffer.name, number)
            last[buffer.name] = number
    for name in outputs:
        first.setdefault(name, len(steps))
        last[name] = len(steps)
    return first, last


def _lowest_gap(taken: Sequence[tuple[int, int]], size: int) -> int:
    """The lowest offset with `size` free bytes between the occupied ranges, which are sorted."""
    offset = 0
    for start, end in taken:
        if start - offset >= size:
            break
        offset = max(offset, end)
    return offset


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
