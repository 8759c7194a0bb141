"""The scatter strategy: updates in their order, each combined at its computed place."""

from compiler_core.codegen.c.body import Body, Scope, element_type
from compiler_core.codegen.c.loops import blocks, indices, write
from compiler_core.ir.sizes import is_multiple
from compiler_core.kernel.kernel import Axis, roots
from compiler_core.schedule.cpu.schedule import CpuSchedule, Part


def scatter(body: Body, schedule: CpuSchedule) -> None:
    """Prints the kernel; threads own blocks of the last axis, if there is one, and each goes
    through all updates."""
    kernel = body.kernel
    if not kernel.parallel:
        return _write(body, {})
    *outer, last = kernel.parallel
    ((part,),) = (nest.parts for nest in schedule.nests)
    if not schedule.threads:
        with body.loops(outer):
            _along(body, last, "0", str(last.extent), part)
        return
    body.pragma("parallel for num_threads(threads)")
    header = f"for ({body.index} block = 0; block < {last.extent}; block += {schedule.block})"
    with body.braces(header):
        end = f"block + {schedule.block}"
        if not is_multiple(last.extent, schedule.block):
            end = f"{end} < {last.extent} ? {end} : {last.extent}"
        body.w.line(f"{body.index} end = {end};")
        with body.loops(outer):
            _along(body, last, "block", "end", part)


def _along(body: Body, last: Axis, low: str, high: str, part: Part) -> None:
    scope = indices(body, last)
    if part.ahead:
        return _ahead(body, last, low, high, scope, part.ahead)
    if part.simd:
        body.pragma("simd")
    with body.innermost(last, low, high):
        _write(body, scope)


def _ahead(body: Body, last: Axis, low: str, high: str, scope: Scope, block: int) -> None:
    """What the updates are is computed in vectors, a block at a time, before they are applied."""
    values = list(dict.fromkeys(roots(*body.kernel.effects)))
    values = [name for name in values if name not in scope]
    with blocks(body, block, low, high):
        for name in values:
            kind = element_type(body.kernel.dtype_of(name))
            body.w.line(f"{kind} {name}_block[{block}];")
        places = {name: f"{name}_block[{last.name} - block]" for name in values}
        body.pragma("simd")
        with body.innermost(last, "block", "end"):
            inside = dict(scope)
            body.define(body.kernel.needed(values, inside), inside)
            for name, place in places.items():
                body.w.line(f"{place} = {inside[name]};")
        with body.innermost(last, "block", "end"):
            _write(body, {**scope, **places})


def _write(body: Body, scope: Scope) -> None:
    write(body, body.kernel.effects, dict(scope))
