"""Products on a GPU whose last sums are reductions of an ordinary kernel: in parts of k, of a
single row or column, and of integers.

All add in a fixed order, so that every run gives the same bits. Atomic updates of one result would
save the partial results' way through memory, and give other bits on every run.
"""

from collections.abc import Sequence
from dataclasses import replace

from compiler_core.ir.sizes import hint
from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.fused_matmul import PROLOGUES, FusedMatmul, Role
from compiler_core.plan.gpu.fused import (
    Apart,
    Launches,
    among,
    apart,
    cost_us,
    divided,
    extents,
    launches_of,
    moving_us,
    named,
    tiled_us,
)
from compiler_core.plan.gpu.summed_products import of_parts, of_products
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Step
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.gpu.matmul import GpuMatmulSchedule, choose_gpu_matmul
from compiler_core.schedule.gpu.schedule import REDUCTION, SPLIT_K
from compiler_core.schedule.targets import GpuTarget

# The least length of a part along k, and the possible numbers of parts: the vendor's library is
# modelled with the same (schedule/gpu/tiles.py), and shorter sums only wait for memory.
_LEAST_PART, _COUNTS = 128, (2, 4, 8, 16, 32)


# -- in parts of k


def in_parts(step: FusedMatmul, launch: Apart, target: GpuTarget) -> list[Option[Launches]]:
    """The split-k candidate: tiles of parts of k, with the prologues, and a kernel that adds the
    parts and computes the epilogue. Empty where k is too short to be divided, or where the tiles
    occupy the GPU without it."""
    m = step.matmul
    if m.symbols:
        reason = "how many parts pay depends on a size that is a symbol, not a number"
        return [Option(Candidate(SPLIT_K, reason))]
    counts = [count for count in _COUNTS if hint(m.k) >= count * _LEAST_PART]
    ways = [x for x in (_partial(step, count, target) for count in counts) if x is not None]
    return [_added(step, min(ways, key=lambda x: x.cost_us), launch, target)] if ways else []


def _partial(step: FusedMatmul, count: int, target: GpuTarget) -> Launch | None:
    """The product of each of `count` parts of k, or of fewer that are whole steps; None if its
    tiles occupy all processors already."""
    m, size = step.matmul, divided(extents(step.matmul), count)
    tiles = choose_gpu_matmul(m.dtype, (size.batch, m.m, m.n, size.k), target)
    length = -(-size.k // tiles.block_k) * tiles.block_k
    parts = -(-hint(m.k) // length)
    alone = replace(tiles, batch=m.batch)
    if alone.grid[0] >= target.processors:
        return None
    reason = (
        f"{alone.grid[0]} tiles are few for {target.processors} processors: "
        f"k in {parts} parts of {length}, added in order by another launch"
    )
    schedule = replace(alone, parts=parts, strategy=SPLIT_K, reason=reason)
    shape = (parts, hint(m.batch), hint(m.m), hint(m.n))
    out = BufferParam(f"{m.name}_parts", TensorType(F32, shape), "out")
    own = replace(m, name=f"{m.name}_partial", out=out, k_part=length, library=None)
    inside = _prologues(step)
    kept = replace(step, matmul=own, parts={role: step.parts[role] for role in inside})
    launched: Step = kept if inside else own
    us = max(tiled_us(step, inside, schedule, target), moving_us(launched, target))
    return Launch(launched, schedule, (), us + target.launch_us)


def _prologues(step: FusedMatmul) -> tuple[Role, ...]:
    return tuple(role for role in PROLOGUES if step.fragment(role) is not None)


def _added(
    step: FusedMatmul, partial: Launch, launch: Apart, target: GpuTarget
) -> Option[Launches]:
    schedule, end = partial.schedule, step.fragment("end")
    assert isinstance(schedule, GpuMatmulSchedule)
    rest = apart(step, _with_end(step, _prologues(step)), launch)
    (out,) = partial.step.outputs
    kernel = of_parts(step.matmul, out, schedule.parts, end, *_ended(step))
    kernel = replace(kernel, name=f"{kernel.name}_finish")
    adding = f"{schedule.parts} parts of k are added in order"
    last = launches_of(kernel, SPLIT_K, adding, target)
    cost = partial.cost_us + sum(x.cost_us for x in last) + cost_us(rest)
    reason = "; ".join((schedule.reason, *named(rest)))
    candidate = Candidate(SPLIT_K, reason, cost, schedule.parameters)
    return Option(candidate, among((partial, *last), rest))


# -- a single row or column


def of_one_row(step: FusedMatmul, launch: Apart, target: GpuTarget) -> list[Option[Launches]]:
    """The candidate for a product with a single row or column: one reduction, which reads the
    matrix once. Empty for a product of two matrices."""
    m = step.matmul
    if 1 not in (m.m, m.n) or not m.flops():
        return []
    if m.batch != 1 and not (m.rhs_batched if m.m == 1 else m.lhs_batched):
        shared = "the products of the batch share one matrix, which each would read again"
        return [Option(Candidate(REDUCTION, shared))]
    side = "row" if m.m == 1 else "column"
    return [_summed(step, f"a tile of a single {side} would be mostly empty", launch, target)]


# -- of what has no tiles


def of_integers(step: FusedMatmul, launch: Apart, target: GpuTarget) -> list[Option[Launches]]:
    """The candidate for products of integers and bools, which neither Triton's tiles nor torch on a
    GPU support: one reduction, which reads a row and a column for each element. Empty for
    floats."""
    dtype = step.matmul.dtype
    if dtype.is_float:
        return []
    reason = f"neither tiles nor the vendor's library have products of {dtype}"
    return [_summed(step, reason, launch, target)]


def _summed(step: FusedMatmul, why: str, launch: Apart, target: GpuTarget) -> Option[Launches]:
    rest = apart(step, _with_end(step, ()), launch)
    kernel = of_products(step.matmul, step.fragment("end"), *_ended(step))
    reason = "; ".join((why, *named(rest)))
    own = launches_of(kernel, REDUCTION, reason, target)
    cost = sum(x.cost_us for x in own) + cost_us(rest)
    parameters = own[0].schedule.parameters
    return Option(Candidate(REDUCTION, reason, cost, parameters), among(own, rest))


# -- all


def _with_end(step: FusedMatmul, roles: tuple[Role, ...]) -> tuple[Role, ...]:
    return roles if step.fragment("end") is None else (*roles, "end")


def _ended(step: FusedMatmul) -> tuple[str, Sequence[BufferParam]]:
    """The name of the product with its end, and what it then writes."""
    kept = step.keeping(_with_end(step, ()))
    return kept.name, kept.outputs
