"""Plans, groups and refusals in the report's words."""

from collections.abc import Iterable, Mapping

from compiler_core import report
from compiler_core.analysis import work
from compiler_core.fuse.groups import Fused, Refusal
from compiler_core.ir.graph import Value
from compiler_core.ir.library import Callee
from compiler_core.kernel.kernel import (
    Compute,
    Kernel,
    LibraryCall,
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
    reads, writes = work.traffic(step)
    return report.Kernel(
        id=step.name,
        kind=step.kind if isinstance(step, Kernel) else type(step).__name__.lower(),
        library=library,
        ops=_ops(step),
        bytes_read=reads,
        bytes_written=writes,
        lines=snippet_lines(step.origins, line_of),
        nodes=list(step.origins),
        flops=work.flops(step),
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
    return names + [f"reduce_{e.monoid}" for s in step.phases for e in s.effects
                    if isinstance(e, Reduce)]  # fmt: skip


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
    def name(node: Value) -> str:
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
