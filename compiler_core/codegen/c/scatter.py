"""The scatter strategy: updates in their order, each combined at its computed place."""

from compiler_core.codegen.c.body import Body, Scope
from compiler_core.codegen.c.loops import indices, write
from compiler_core.ir.sizes import is_multiple
from compiler_core.kernel.kernel import Axis
from compiler_core.schedule.cpu import CpuSchedule


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
            _along(body, last, "0", str(last.extent), simd=part.simd)
        return
    body.pragma("parallel for num_threads(threads)")
    header = f"for ({body.index} block = 0; block < {last.extent}; block += {schedule.block})"
    with body.braces(header):
        end = f"block + {schedule.block}"
        if not is_multiple(last.extent, schedule.block):
            end = f"{end} < {last.extent} ? {end} : {last.extent}"
        body.w.line(f"{body.index} end = {end};")
        with body.loops(outer):
            _along(body, last, "block", "end", simd=part.simd)


def _along(body: Body, last: Axis, low: str, high: str, *, simd: bool) -> None:
    scope = indices(body, last)
    if simd:
        body.pragma("simd")
    with body.innermost(last, low, high):
        _write(body, scope)


def _write(body: Body, scope: Scope) -> None:
    write(body, body.kernel.effects, dict(scope))
