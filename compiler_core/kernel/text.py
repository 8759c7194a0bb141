"""A kernel as text: what the page shows as "loops", with its line map."""

from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect, Reduce, Scan, Store
from compiler_core.kernel.kernel import BufferParam, Compute, Const, Def, Index, Kernel, Load, roots

Line = tuple[str, tuple[int, ...]]


def definition(d: Def) -> str:
    """A definition in the text form of a kernel, without its name."""
    match d:
        case Load():
            text = f"load {d.buffer}[{d.access}]{policies(d.access)}"
            return text if d.mask is None else f"{text} if {d.mask} else {d.other}"
        case Const():
            return f"{d.value}"
        case Index():
            return f"index {d.access}"
        case Compute():
            direction = f"{d.direction} " if d.direction else ""
            return f"{d.op} {direction}{' '.join(d.args)}"


def policies(access: Affine) -> str:
    """What keeps each computed index in bounds, as a comment: ` (v3 clamped)`; "" without any."""
    indirect = ", ".join(f"{x.value} {x.policy}" for x in access.indirect)
    return f" ({indirect})" if indirect else ""


def effect(e: Effect) -> str:
    """A store, reduction or scan in the text form of a kernel."""
    if isinstance(e, Store):
        mode = "" if e.mode == "set" else f" {e.mode}"
        mask = f" if {e.mask}" if e.mask else ""
        return f"store{mode} {e.buffer}[{e.access}]{policies(e.access)} = {e.value}{mask}"
    how = "reduce" if isinstance(e, Reduce) else f"scan {e.axis}"
    return f"{', '.join(e.names)} = {how} {e.monoid} {' '.join(e.args)}"


def parameter(b: BufferParam) -> str:
    """A buffer with its role: `in x: f32[8]`, and `out y: f32[8] over x` where it lies in x."""
    return f"{b.role} {b.name}: {b.type}{b.over and f' over {b.over}'}"


def lines(kernel: Kernel) -> list[Line]:
    """The kernel as text, each line with the ids of the captured operations that it comes from."""
    axes = "  ".join(f"{a.kind} {a.name}:{a.extent}" for a in kernel.axes)
    params = ", ".join(map(parameter, kernel.buffers))
    result: list[Line] = [
        (f"kernel {kernel.name} ({kernel.kind}) ({params})", kernel.origins),
        (f"  {axes}".rstrip(), kernel.origins),
    ]
    shown: set[str] = set()
    for number, phase in enumerate(kernel.phases):
        # What reads a scan's values stands after it.
        scans = any(isinstance(e, Scan) for e in phase.effects)
        for effects in [(e,) for e in phase.effects] if scans else [phase.effects]:
            for d in kernel.needed(roots(*effects), shown):
                result.append((f"    {d.name}: {d.dtype} = {definition(d)}", d.origins))
                shown.add(d.name)
            result.extend((f"  phase {number}: {effect(e)}", e.origins) for e in effects)
    return result
