"""A Kernel as text: what the page shows as "loops", with the line map beside it."""

from compiler_core.kernel.kernel import (
    Compute,
    Const,
    Def,
    Effect,
    Index,
    Kernel,
    LibraryCall,
    Load,
    Matmul,
    Reduce,
    Step,
    root,
)

Line = tuple[str, tuple[int, ...]]


def definition(d: Def) -> str:
    match d:
        case Load():
            text = f"load {d.buffer}[{d.access}]"
            return text if d.mask is None else f"{text} if {d.mask} else {d.other}"
        case Const():
            return f"{d.value}"
        case Index():
            return f"index {d.access}"
        case Compute():
            direction = f"{d.direction} " if d.direction else ""
            return f"{d.op} {direction}{' '.join(d.args)}"


def effect(e: Effect) -> str:
    if isinstance(e, Reduce):
        return f"{e.name} = reduce {e.monoid} {e.arg}"
    return f"store {e.buffer}[{e.access}] = {e.value}"


def lines(step: Step) -> list[Line]:
    """The lines of one step, each with the captured operations that it comes from."""
    if isinstance(step, Matmul):
        lhs = f"{step.lhs.name}{'^T' if step.transpose_lhs else ''}"
        rhs = f"{step.rhs.name}{'^T' if step.transpose_rhs else ''}"
        shape = f"{step.batch} x [{step.m},{step.k}] @ [{step.k},{step.n}]"
        return [(f"{step.out.name} = matmul {lhs} {rhs}  # {shape}, {step.reason}", step.origins)]
    if isinstance(step, LibraryCall):
        outs = ", ".join(b.name for b in step.outputs)
        ins = ", ".join(b.name for b in step.inputs)
        return [(f"{outs} = library {step.callee}({ins})", step.origins)]
    return _kernel_lines(step)


def _kernel_lines(kernel: Kernel) -> list[Line]:
    axes = "  ".join(f"{a.kind} {a.name}:{a.extent}" for a in kernel.axes)
    params = ", ".join(f"{b.role} {b.name}: {b.type}" for b in kernel.buffers)
    result: list[Line] = [
        (f"kernel {kernel.name} ({kernel.kind}) ({params})", kernel.origins),
        (f"  {axes}".rstrip(), kernel.origins),
    ]
    shown: set[str] = set()
    for number, phase in enumerate(kernel.phases):
        for d in kernel.needed((root(e) for e in phase.effects), shown):
            result.append((f"    {d.name}: {d.dtype} = {definition(d)}", d.origins))
            shown.add(d.name)
        result.extend((f"  stage {number}: {effect(e)}", e.origins) for e in phase.effects)
    return result


def text(steps: tuple[Step, ...]) -> tuple[str, list[list[int]]]:
    """All steps, and for each line the captured operations."""
    out: list[Line] = []
    for step in steps:
        out.extend(lines(step))
        out.append(("", ()))
    out = out[:-1]
    return "\n".join(t for t, _ in out), [list(o) for _, o in out]
