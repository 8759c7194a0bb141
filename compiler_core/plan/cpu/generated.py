"""Matrix products as generated C: by blocks of rows or by panels of columns, by one thread or by
several (schedule/cpu/matmul.py), with the kernels at their ends, and what each costs.

The rates are in schedule/processors.py and below; docs/decisions/0029-panels-of-columns.md has the
measurements.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from compiler_core.ir.sizes import at_most, hint, number, symbols
from compiler_core.ir.types import F32, F64, DType, TensorType
from compiler_core.kernel.by_columns import by_columns
from compiler_core.kernel.by_rows import RowKernel
from compiler_core.kernel.fragment import NoFragment
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.cpu.libraries import REGISTERS
from compiler_core.plan.cpu.vectors import measured_us
from compiler_core.plan.fused_matmul import FusedMatmul, Part, Role
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.cpu import model
from compiler_core.schedule.cpu.choice import choose_cpu_row
from compiler_core.schedule.cpu.matmul import (
    PANEL,
    PANEL_BYTES,
    PANEL_ROWS,
    STACK_BYTES,
    CpuMatmulSchedule,
    Shape,
    block_rows,
    is_packed,
    on_columns,
    share_of,
    upcast_bytes,
)
from compiler_core.schedule.cpu.schedule import CpuSchedule
from compiler_core.schedule.targets import CpuTarget

Launches = tuple[Launch, ...]
# A product with the parts that it keeps, and its schedules; or why there is none.
Ways = tuple[Matmul | FusedMatmul, list[CpuMatmulSchedule]] | str

# Rates of one core in a microsecond: elements packed, and bytes read repeatedly from the
# third-level cache.
_PACKED_PER_US = 12e3
_AGAIN_PER_US = 43e3
# Microseconds in which threads that are awake synchronise.
_MEETING_US = 0.5
# A tile of fewer rows waits for the latency of its own additions.
_FEWEST_ROWS = 4
# The most rows of a right operand whose panels stay in the second-level cache.
_DEEPEST = 8192


def generated(
    step: FusedMatmul, roles: tuple[Role, ...], target: CpuTarget
) -> Iterator[Option[Launches]]:
    """The generated product with the kernels of `roles` fused to its rows or columns: a candidate
    for each way to divide it among threads, with the model's cost, or the reason why it is not
    possible."""
    m = step.matmul
    refusal = _refuses(m)
    if refusal:
        yield Option(Candidate(REGISTERS, refusal))
        return
    for ways in (_by_rows(step, roles), _by_columns(step, roles)):
        if isinstance(ways, str):
            yield Option(Candidate(REGISTERS, ways))
            continue
        kept, schedules = ways
        for schedule in schedules:
            us = _cost(m, kept.parts, schedule, target)
            launch = Launch(kept.generated(_scratch(kept.name, m.dtype, schedule)), schedule)
            candidate = Candidate(REGISTERS, schedule.reason, us, schedule.parameters)
            yield Option(candidate, (launch,))


def _refuses(m: Matmul) -> str:
    """Why C does not compute a product, "" where it does."""
    sides = {m.lhs.type.dtype, m.rhs.type.dtype, m.dtype}
    if len(sides) > 1 or not m.dtype.is_float:
        return f"no generated product of {m.lhs.type.dtype} and {m.rhs.type.dtype}"
    if symbols(m.n) or symbols(m.k):
        return f"tiles of [{m.k}, {m.n}] are made for numbers"
    if not m.flops():
        return "a size of the product is 0, so there is nothing to multiply"
    if number(m.k) > _DEEPEST:
        return f"panels of more than {_DEEPEST} rows do not stay in cache"
    return ""


def _row_bytes(m: Matmul, roles: Collection[Role]) -> int:
    """Of what a block keeps of each row: of the left operand, and of the result."""
    is_upcast = m.dtype.bytes < upcast_bytes(m.dtype)
    left = number(m.k) * (("lhs" in roles) + (m.transpose_lhs or is_upcast))
    return (left + (number(m.n) if "end" in roles else 0)) * upcast_bytes(m.dtype)


def _shape(m: Matmul) -> Shape:
    return Shape(m.batch, m.m, number(m.n), number(m.k), m.batch if m.rhs_batched else 1)


def _by_rows(step: FusedMatmul, roles: tuple[Role, ...]) -> Ways:
    m, kept = step.matmul, step.keeping(roles)
    if not block_rows(_shape(m), _row_bytes(m, roles), threads=True):
        return "the operands' and the result's rows of a block do not stay in cache"
    on_rows = _on_rows(kept.parts)

    def schedule(threads: bool) -> CpuMatmulSchedule:
        rows = block_rows(_shape(m), _row_bytes(m, roles), threads=threads)
        where = f"{rows} rows at a time, which stay in cache"
        reason = _reason("", threads, kept.parts, where)
        return CpuMatmulSchedule(_shape(m), rows, _is_packed(m), threads, reason, parts=on_rows)

    return kept, [schedule(threads) for threads in (False, True)]


def _by_columns(step: FusedMatmul, roles: tuple[Role, ...]) -> Ways:
    m, kept = step.matmul, step.keeping(roles)
    refusal = _no_columns(m, roles)
    if not refusal and "end" in roles:
        end = _on_columns(step.parts["end"], number(m.n))
        if isinstance(end, Part):
            kept = replace(step, parts={"end": end})
        else:
            refusal = end
    if refusal:
        return f"by columns: {refusal}"
    parts = {role: on_columns() for role in kept.parts}

    def schedule(threads: bool) -> CpuMatmulSchedule:
        by = ", by panels of columns"
        reason = _reason(
            by, threads, kept.parts, f"{PANEL_ROWS} rows of a panel at a time, which stay in cache"
        )
        share = share_of(_shape(m)) if threads else 0
        return CpuMatmulSchedule(
            _shape(m), PANEL_ROWS, _is_packed(m), threads, reason, "columns", share, parts=parts
        )

    return kept, [schedule(threads) for threads in (False, True)]


def _no_columns(m: Matmul, roles: tuple[Role, ...]) -> str:
    """Why panels are not multiplied with all rows, each by one thread; "" where they may be."""
    if {*roles} - {"end"}:
        return "every panel would compute the prologue of the left operand again"
    if m.transpose_lhs or m.dtype.bytes < upcast_bytes(m.dtype):
        return "every panel would copy the left operand again"
    if number(m.k) * PANEL * upcast_bytes(m.dtype) > PANEL_BYTES:
        return f"a panel of {m.k} rows does not stay in cache"
    return ""


def _on_columns(part: Part, width: int) -> Part | str:
    assert isinstance(part.rows, RowKernel)
    found = by_columns(part.rows, part.value.name, width, PANEL)
    return found.reason if isinstance(found, NoFragment) else replace(part, rows=found)


def _reason(by: str, threads: bool, parts: Mapping[Role, Part], where: str) -> str:
    reason = f"tiles in registers, generated{by}" + ", shared by threads" * threads
    names = ", ".join(part.step.name for part in parts.values())
    return f"{reason}; {names} on {where}" if parts else reason


def _is_packed(m: Matmul) -> bool:
    return is_packed(m.dtype, _shape(m), transposed=m.transpose_rhs)


def _on_rows(parts: Mapping[Role, Part]) -> dict[str, CpuSchedule]:
    """How each part runs on a row."""
    return {
        role: choose_cpu_row(part.rows.within)
        for role, part in parts.items()
        if isinstance(part.rows, RowKernel)
    }


def _scratch(name: str, dtype: DType, schedule: CpuMatmulSchedule) -> tuple[BufferParam, ...]:
    """Memory for the panels of the step `name`, where they do not fit on the stack."""
    size = schedule.shape.packed_elements
    if (
        not schedule.packed
        or schedule.order == "columns"
        or at_most(size * upcast_bytes(dtype), STACK_BYTES)
    ):
        return ()
    type_ = TensorType(F64 if dtype is F64 else F32, (size,))
    return (BufferParam(f"{name}_packed", type_, "out"),)


def _cost(
    m: Matmul, parts: Mapping[Role, Part], schedule: CpuMatmulSchedule, target: CpuTarget
) -> float:
    """Microseconds of the captured call."""
    on_parts = sum(
        model.on_rows(part.step.kernel, part.value.name, target.figures) for part in parts.values()
    )
    # Panels are written, and read again.
    panels = 2 * hint(schedule.shape.packed_elements) * upcast_bytes(m.dtype) * schedule.packed
    known = measured_us(m, REGISTERS, schedule.parameters, target, panels)
    if known is not None:
        return known + on_parts
    shape, rows = schedule.shape, hint(schedule.shape.m)
    each = upcast_bytes(m.dtype)
    rate = target.rates.tiles * F32.bytes / each * min(1.0, rows / _FEWEST_ROWS)
    computing = 2 * hint(shape.batch) * rows * shape.k * shape.computed / rate
    computing += on_parts
    cores = target.figures.cores
    moved = target.figures.moving_us(sum(m.traffic())) / (cores if schedule.threads else 1)
    again = schedule.read_again(each) / _AGAIN_PER_US
    faster = schedule.speedup(cores)
    meeting = _MEETING_US * schedule.packed * (schedule.order == "rows")
    waking = (target.waking_us + meeting) * schedule.threads
    packing = _packing_us(m, schedule, target) * schedule.packed
    return max(computing / faster, moved) + (again + packing) / faster + waking


def _packing_us(m: Matmul, schedule: CpuMatmulSchedule, target: CpuTarget) -> float:
    """Microseconds in which one core packs all panels: those of an operand that a whole batch reads
    once for each product if each thread has its own."""
    shape, own = schedule.shape, schedule.order == "columns"
    elements = (
        shape.panels * schedule.shares * PANEL * shape.k if own else hint(shape.packed_elements)
    )
    return elements / (target.rates.turned if m.transpose_rhs else _PACKED_PER_US)
