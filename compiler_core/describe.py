"""Plans, groups and refusals in the report's words."""

from collections.abc import Iterable, Mapping, Sequence

from compiler_core import report
from compiler_core.fuse.groups import Fused, Refusal
from compiler_core.ir import ops
from compiler_core.ir.graph import Node
from compiler_core.ir.library import Callee
from compiler_core.loops.kernel import (
    BufferParam,
    Compute,
    Kernel,
    LibraryCall,
    Load,
    Matmul,
    Plan,
    Reduce,
    Step,
)

LineOf = Mapping[int, int | None]


def kernels(plan: Plan, line_of: LineOf) -> list[report.Kernel]:
    """One entry a launch, in order."""
    return [_kernel(step, line_of) for step in plan.steps]


def _kernel(step: Step, line_of: LineOf) -> report.Kernel:
    library, reason = _library(step)
    reads, writes = traffic(step)
    return report.Kernel(
        id=step.name,
        kind=step.kind if isinstance(step, Kernel) else type(step).__name__.lower(),
        library=library,
        ops=_ops(step),
        bytes_read=reads,
        bytes_written=writes,
        lines=snippet_lines(step.origins, line_of),
        nodes=list(step.origins),
        flops=flops(step),
        reason=reason,
    )


def _library(step: Step) -> tuple[str | None, str]:
    if isinstance(step, Matmul):
        return "matmul", step.reason
    if isinstance(step, LibraryCall):
        callee = step.callee
        return str(callee), callee.reason if isinstance(callee, Callee) else ""
    return None, ""


def _ops(step: Step) -> list[str]:
    if isinstance(step, Matmul):
        return ["dot_general"]
    if isinstance(step, LibraryCall):
        return [str(step.callee)]
    names = [d.op for d in step.defs if isinstance(d, Compute)]
    return names + [f"reduce_{e.monoid}" for s in step.stages for e in s.effects
                    if isinstance(e, Reduce)]  # fmt: skip


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


def snippet_lines(origins: Iterable[int], line_of: LineOf) -> list[int]:
    """The snippet's lines that captured operations come from, each once, in order."""
    return sorted({line for o in origins if (line := line_of.get(o)) is not None})


def refusals(fused: Fused, plan: Plan) -> list[report.FusionRefusal]:
    """Each edge between two launches, by the launches' names where they have one."""
    owner = {o: step.name for step in plan.steps for o in _written(step)}
    return [_refusal(r, fused, owner) for r in fused.refusals]


def _written(step: Step) -> list[str]:
    if isinstance(step, Kernel):
        return [b.name for b in step.buffers if b.role == "out"]
    return [step.out.name] if isinstance(step, Matmul) else [b.name for b in step.outputs]


def _refusal(refusal: Refusal, fused: Fused, owner: Mapping[str, str]) -> report.FusionRefusal:
    def name(node: Node) -> str:
        return owner.get(fused.names.get(node, ""), "")

    producer = f"{refusal.producer} {refusal.producer.op}"
    consumer = f"{refusal.consumer} {refusal.consumer.op}"
    return report.FusionRefusal(
        f"{producer} ({name(refusal.producer)})" if name(refusal.producer) else producer,
        f"{consumer} ({name(refusal.consumer)})" if name(refusal.consumer) else consumer,
        refusal.reason,
        sorted({*refusal.producer.origins, *refusal.consumer.origins}),
    )


def buffers(plan: Plan) -> list[report.Buffer]:
    """The memory plan."""
    return [
        report.Buffer(p.name, str(p.type), p.type.bytes, p.offset, p.first, p.last, list(p.origins))
        for p in plan.placements
    ]


def _by_design(step: Step) -> bool:
    if isinstance(step, LibraryCall):
        return "conv" in str(step.callee)
    return isinstance(step, Matmul)


def native_share(steps: Sequence[Step]) -> float:
    """Generated kernels among the launches that are no matmul and no convolution, which are the
    vendor's library by design; 1.0 where there are no others."""
    counted = [s for s in steps if not _by_design(s)]
    return sum(isinstance(s, Kernel) for s in counted) / len(counted) if counted else 1.0
