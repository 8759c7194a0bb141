"""What one launch moves and computes: bytes, arithmetic; and the share of generated kernels."""

from collections.abc import Iterable, Sequence

from compiler_core.ir import ops
from compiler_core.kernel.kernel import (
    BufferParam,
    Compute,
    Kernel,
    LibraryCall,
    Load,
    Matmul,
    Step,
)


def traffic(step: Step) -> tuple[int, int]:
    """(bytes read, bytes written) at least: each buffer once, however often it is walked. A
    kernel that loads only part of a buffer (a slice) is counted by its loop, not the buffer."""
    if isinstance(step, Matmul):
        return step.lhs.type.bytes + step.rhs.type.bytes, step.out.type.bytes
    if isinstance(step, LibraryCall):
        return _bytes(step.inputs), _bytes(step.outputs)
    points = 1
    for axis in step.axes:
        points *= axis.extent
    loaded: dict[str, int] = {}
    for d in step.defs:
        if isinstance(d, Load):
            walked = 1
            for axis in step.axes:
                walked *= axis.extent if d.access.stride(axis.name) else 1
            loaded[d.buffer] = loaded.get(d.buffer, 0) + walked * d.dtype.bytes
    whole = {b.name: b.type.bytes for b in step.buffers}
    return (
        sum(min(size, whole[name]) for name, size in loaded.items()),
        _bytes(b for b in step.buffers if b.role == "out"),
    )


def _bytes(buffers: Iterable[BufferParam]) -> int:
    return sum(b.type.bytes for b in buffers)


def flops(step: Step) -> int:
    """Arithmetic operations, a transcendental function as its weight in ir/ops.py; a
    multiply-add of a matmul as two."""
    if isinstance(step, Matmul):
        return 2 * step.batch * step.m * step.n * step.k
    if isinstance(step, LibraryCall):
        return 0
    points = kept = 1
    for axis in step.axes:
        points *= axis.extent
        kept *= axis.extent if axis.kind == "parallel" else 1
    tile = step.tile_values if step.reduce else frozenset(d.name for d in step.defs)
    elementwise = sum(
        ops.OPS[d.op].cost * (points if d.name in tile else kept)
        for d in step.defs
        if isinstance(d, Compute)
    )
    return elementwise + points * len(step.reductions)


def _by_design(step: Step) -> bool:
    if isinstance(step, LibraryCall):
        return "conv" in str(step.callee)
    return isinstance(step, Matmul)


def native_share(steps: Sequence[Step]) -> float:
    """Generated kernels among the launches that are no matmul and no convolution, which are the
    vendor's library by design; 1.0 where there are no others."""
    counted = [s for s in steps if not _by_design(s)]
    return sum(isinstance(s, Kernel) for s in counted) / len(counted) if counted else 1.0
