"""How a matrix product runs on a CPU: by a library, or as generated C that holds tiles of the
result in registers, with the kernels at its ends run on blocks of rows while these are in cache.

The rates of both are in plan/products.py and below; docs/decisions/0020-generated-products.md has
the measurements. A part that joins the product saves what is between them from memory, and the
threads from meeting once more; each of its elements is computed once, as by a kernel apart.
"""

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from compiler_core.ir.sizes import at_most, hint, number, symbols
from compiler_core.ir.types import F32, F64, DType, TensorType
from compiler_core.kernel.by_rows import RowKernel
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.fused_matmul import ROLES, FusedMatmul, Part, Role
from compiler_core.plan.plan import Launch
from compiler_core.plan.products import REGISTERS, LibrarySchedule, libraries
from compiler_core.plan.steps import Matmul, Step
from compiler_core.schedule import model
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.cpu import CpuSchedule
from compiler_core.schedule.cpu_choice import choose_cpu_row
from compiler_core.schedule.cpu_matmul import (
    STACK_BYTES,
    CpuMatmulSchedule,
    Shape,
    block_rows,
    is_packed,
    upcast_bytes,
)
from compiler_core.schedule.targets import CpuTarget

Launches = tuple[Launch, ...]

# Of one core: f32 operations, and elements that are put side by side, in a microsecond.
_FLOPS_PER_US = 210e3
_PACKED_PER_US = 12e3
# Threads that are awake wait for one another.
_MEETING_US = 0.5
# A tile of fewer rows waits for its own sums.
_FEWEST_ROWS = 4
# The most rows of a right operand whose panels stay in the second-level cache.
_DEEPEST = 8192


def fits(part: Part) -> bool:
    """Whether a kernel can run on rows of a generated product."""
    return isinstance(part.rows, RowKernel)


def alone(step: Matmul, target: CpuTarget) -> list[Option[Launches]]:
    """The ways to compute a product, the generated one first."""
    own = _generated(FusedMatmul(step, {}), (), target)
    others = libraries(step, target)
    return [*own, *(Option(x.candidate, _one(step, x)) for x in others)]


def _one(step: Matmul, option: Option[LibrarySchedule]) -> Launches | None:
    return None if option.result is None else (Launch(step, option.result),)


def with_parts(
    step: FusedMatmul, launch: Callable[[Step], Launches], target: CpuTarget
) -> list[Option[Launches]]:
    """The product generated with each set of its parts, the largest first; then everything apart,
    the product by each of its ways. `launch` gives the launches of a kernel apart."""
    options: list[Option[Launches]] = [
        Option(Candidate(REGISTERS, f"{part.step.name}: {part.rows.reason}"))
        for part in step.parts.values()
        if not isinstance(part.rows, RowKernel)
    ]
    for roles in _subsets(step):
        rest = {r: launch(p.step) for r, p in step.parts.items() if r not in roles}
        options += (_among(x, rest) for x in _generated(step, roles, target))
    apart = {r: launch(p.step) for r, p in step.parts.items()}
    return [*options, *(_among(x, apart) for x in alone(step.matmul, target))]


def _among(option: Option[Launches], rest: dict[Role, Launches]) -> Option[Launches]:
    """A way to compute the product, with the launches of the parts that stay apart."""
    found = option.candidate
    if option.result is None or found.cost_us is None or not rest:
        return option
    before = (x for role, own in rest.items() if role != "end" for x in own)
    launches = (*before, *option.result, *rest.get("end", ()))
    names = ", ".join(x.step.name for own in rest.values() for x in own)
    more = sum(x.cost_us for own in rest.values() for x in own)
    reason = f"{found.reason}; {names} apart" if names else found.reason
    return Option(replace(found, reason=reason, cost_us=found.cost_us + more), launches)


def _subsets(step: FusedMatmul) -> Iterator[tuple[Role, ...]]:
    """The roles whose kernels may run on rows, the most first."""
    able = [role for role in ROLES if role in step.parts and fits(step.parts[role])]
    for count in range(len(able), 0, -1):
        yield from itertools.combinations(able, count)


# -- the generated product


def _generated(
    step: FusedMatmul, roles: tuple[Role, ...], target: CpuTarget
) -> Iterator[Option[Launches]]:
    """With `roles` on its rows, by one thread and by several."""
    m, kept = step.matmul, step.keeping(roles)
    refusal = _refuses(m, roles)
    if refusal:
        yield Option(Candidate(REGISTERS, refusal))
        return
    on_rows = _on_rows(kept.parts)
    for threads in (False, True):
        schedule = replace(_schedule(m, kept.parts, threads=threads), parts=on_rows)
        us = _cost(m, kept.parts, schedule, target)
        launch = Launch(kept.generated(_scratch(kept.name, m.dtype, schedule)), schedule)
        candidate = Candidate(REGISTERS, schedule.reason, us, schedule.parameters)
        yield Option(candidate, (launch,))


def _refuses(m: Matmul, roles: tuple[Role, ...]) -> str:
    """Why C does not compute a product, "" where it does."""
    sides = {m.lhs.type.dtype, m.rhs.type.dtype, m.dtype}
    if len(sides) > 1 or not m.dtype.is_float:
        return f"no generated product of {m.lhs.type.dtype} and {m.rhs.type.dtype}"
    if symbols(m.n) or symbols(m.k):
        return f"tiles of [{m.k}, {m.n}] are made for numbers"
    if not m.flops():
        return "there is nothing to multiply"
    if number(m.k) > _DEEPEST:
        return f"panels of more than {_DEEPEST} rows do not stay in cache"
    if not block_rows(_shape(m), _row_bytes(m, roles), threads=True):
        return "the rows of a block do not stay in cache"
    return ""


def _row_bytes(m: Matmul, roles: Collection[Role]) -> int:
    """Of what a block keeps of each row: of the left operand, and of the result."""
    is_upcast = m.dtype.bytes < upcast_bytes(m.dtype)
    left = number(m.k) * (("lhs" in roles) + (m.transpose_lhs or is_upcast))
    return (left + (number(m.n) if "end" in roles else 0)) * upcast_bytes(m.dtype)


def _shape(m: Matmul) -> Shape:
    return Shape(m.batch, m.m, number(m.n), number(m.k), m.batch if m.rhs_batched else 1)


def _schedule(m: Matmul, parts: Mapping[Role, Part], *, threads: bool) -> CpuMatmulSchedule:
    shape = _shape(m)
    rows = block_rows(shape, _row_bytes(m, parts), threads=threads)
    packed = is_packed(m.dtype, shape, transposed=m.transpose_rhs)
    reason = "tiles in registers, generated" + ", shared by threads" * threads
    if parts:
        names = ", ".join(part.step.name for part in parts.values())
        reason += f"; {names} on {rows} rows at a time, which stay in cache"
    return CpuMatmulSchedule(shape, rows, packed, threads, reason)


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
    if not schedule.packed or at_most(size * upcast_bytes(dtype), STACK_BYTES):
        return ()
    type_ = TensorType(F64 if dtype is F64 else F32, (size,))
    return (BufferParam(f"{name}_packed", type_, "out"),)


def _cost(
    m: Matmul, parts: Mapping[Role, Part], schedule: CpuMatmulSchedule, target: CpuTarget
) -> float:
    """Microseconds of the captured call."""
    shape, rows = schedule.shape, hint(schedule.shape.m)
    rate = _FLOPS_PER_US * F32.bytes / upcast_bytes(m.dtype) * min(1.0, rows / _FEWEST_ROWS)
    computing = 2 * hint(shape.batch) * rows * shape.k * shape.padded / rate
    computing += sum(model.on_rows(part.step.kernel, part.value.name) for part in parts.values())
    moved = model.moving_us(sum(m.traffic())) / (model.CORES if schedule.threads else 1)
    packing = hint(shape.packed_elements) * schedule.packed / _PACKED_PER_US
    packing /= model.CORES if schedule.threads else 1
    waking = (target.waking_us + schedule.packed * _MEETING_US) * schedule.threads
    return max(computing / schedule.speedup(model.CORES), moved) + packing + waking
