"""The cost model of schedules: bytes moved, wasted parts of cache lines and sectors, idle
processors.

Schedules are chosen by rules; the model says how much they save, and a test checks that both agree.
"""

from math import prod

from compiler_core.fuse import cost
from compiler_core.ir.ops import OPS
from compiler_core.ir.sizes import hint
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import Kernel, Load, Store
from compiler_core.kernel.online import online, saved_passes
from compiler_core.schedule.choice import Candidate
from compiler_core.schedule.cpu import MANY_POINTS, CpuSchedule, work

LINE_BYTES = 64
# Of the small model in fuse/cost.py.
CORES = 2
# Partial results are combined without another launch.
COMBINE_US = 0.1


def moved(kernel: Kernel, axis: str, unit: int, without: str = "") -> int:
    """Bytes moved when neighbours along `axis` are accessed together and memory is transferred in
    units of `unit` bytes: every element once, with the unused rest of its unit. The buffer
    `without` is not counted."""
    whole = {b.name: b.type for b in kernel.buffers}
    found: dict[str, int] = {}
    for buffer, access in _accesses(kernel):
        if buffer == without:
            continue
        element = whole[buffer].dtype.bytes
        points = prod(a.hint for a in kernel.axes if access.stride(a.name) != 0)
        stride = abs(hint(access.stride(axis)))
        wasted = min(stride, max(1, unit // element)) if stride > 1 else 1
        size = min(points * element, whole[buffer].at_hint().bytes) * wasted
        found[buffer] = max(found.get(buffer, 0), size)
    return sum(found.values())


def _accesses(kernel: Kernel) -> list[tuple[str, Affine]]:
    loads = [(d.buffer, d.access) for d in kernel.defs if isinstance(d, Load)]
    effects = kernel.effects
    return loads + [(e.buffer, e.access) for e in effects if isinstance(e, Store)]


def on_rows(kernel: Kernel, between: str) -> float:
    """Microseconds of one core that runs `kernel` on rows that are in cache: the buffer `between`
    is not in memory."""
    axis = (kernel.reduce or kernel.parallel)[-1].name
    computing = work(kernel) * prod(a.hint for a in kernel.axes) / cost.CPU.ops_per_us
    moving = moved(kernel, axis, LINE_BYTES, between) / cost.CPU.bytes_per_us
    return max(computing, moving) * CORES


def on_cpu(kernel: Kernel, chosen: CpuSchedule) -> tuple[Candidate, ...]:
    """The candidates for running a kernel on a CPU; `chosen` is one of them."""
    ways = _without_reductions if not kernel.reduce else _with_reductions
    found = [
        Candidate(
            way.strategy, chosen.reason if way is chosen else way.reason,
            _cpu_us(kernel, way), way.parameters, way is chosen,
        )
        for way in ways(kernel, chosen)
    ]  # fmt: skip
    return (*found, *_fewer_walks(kernel, chosen))


def _fewer_walks(kernel: Kernel, chosen: CpuSchedule) -> list[Candidate]:
    """The candidate with fewer passes over memory, which is never taken in C (docs/decisions/0014):
    an exponential costs more than the read that it saves, and a running mean in f32 loses
    precision."""
    fewer = online(kernel)
    if fewer is None:
        return []
    head = saved_passes(kernel, fewer)
    if any(e.monoid == "welford" for e in fewer.reductions.values()):
        reason = f"{head}: a running mean has not the digits of two passes"
        return [Candidate(chosen.strategy, reason)]
    more = OPS["exponential"].cost + OPS["multiply"].cost
    reason = f"{head}: a second exponential for each element"
    return [Candidate(chosen.strategy, reason, _cpu_us(fewer, chosen, more))]


def _without_reductions(kernel: Kernel, chosen: CpuSchedule) -> list[CpuSchedule]:
    if not chosen.tile:
        return [chosen]
    reason = "along the last axis, whose neighbours lie in different cache lines"
    return [chosen, CpuSchedule("flat", chosen.threads, reason)]


def _with_reductions(kernel: Kernel, chosen: CpuSchedule) -> list[CpuSchedule]:
    """The cheapest option; of equal cost, the first."""
    others = [CpuSchedule("rows", chosen.threads, "a row at a time")]
    if kernel.kind != "column" and chosen.threads:
        reason = "the threads share each row, and parts are combined"
        others.append(CpuSchedule("split", True, reason))
    return [chosen, *(way for way in others if way.strategy != chosen.strategy)]


def _cpu_us(kernel: Kernel, way: CpuSchedule, more: int = 0) -> float:
    """Microseconds on a CPU; `more` is arithmetic at each point in addition to the kernel's own."""
    points = prod(a.hint for a in kernel.parallel)
    along = kernel.reduce if way.strategy in ("rows", "split") else kernel.parallel
    axis = along[-1].name if along else ""
    unit = 1 if way.tile else LINE_BYTES
    computing = (work(kernel) + more) * prod(a.hint for a in kernel.axes) / cost.CPU.ops_per_us
    together = max(computing, moved(kernel, axis, unit) / cost.CPU.bytes_per_us)
    if not way.threads:
        return together * CORES
    busy = min(1.0, points / MANY_POINTS) if way.strategy == "rows" else 1.0
    return together / busy + cost.CPU.launch_us + COMBINE_US * (way.strategy == "split")
