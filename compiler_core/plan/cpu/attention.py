"""The candidates for running attention on a CPU: one kernel, or the separate steps that it consists
of."""

from dataclasses import replace

from compiler_core.fuse import cost
from compiler_core.ir.sizes import hint
from compiler_core.kernel.attention import Attention as Whole
from compiler_core.plan.attention.candidates import Launches, apart_of, saves
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.plan import Launch
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.cpu.attention import (
    STRATEGY,
    CpuAttentionSchedule,
    by_rows,
    choose_cpu_attention,
    visited,
)
from compiler_core.schedule.targets import CpuTarget

# Measured on one core with AVX-512 at heads of 32, 64 and 128 elements: multiply-adds as two
# operations a microsecond, what a score costs beside its products (its exponential, above all), and
# an element of a mask that lies along the keys, which is copied, or along neither keys nor rows.
_FLOPS_PER_US = 196e3
_SCORE_US = 0.3e-3
_ACROSS_US, _SCATTERED_US = 0.25e-3, 1.1e-3
# The same where a row is computed at a time: sums along keys, and results go through the cache.
_ROW_FLOPS_PER_US, _ROW_SCORE_US = 64e3, 0.3e-3
# Measured by modelled time of one kernel, relative to separate launches: heads of 16 elements, 64
# rows and 1024 keys under a mask in bf16 took 0.84 ms for a modelled 204 us in one kernel, and 1.08
# ms for 189 us in separate ones.
_OF_COST = 0.74
# For longer rows, tiles do not fit in the second-level cache.
_LONGEST = 512


def on_cpu(step: Attention, apart: Launches, target: CpuTarget) -> list[Option[Launches]]:
    """The candidates for attention on a CPU: one kernel by tiles or by single rows, or `apart`, the
    launches of its separate steps."""
    other, refusal = apart_of(apart), _too_long(step.whole)
    if refusal:
        return [Option(Candidate(STRATEGY, refusal)), other]
    ways = (choose_cpu_attention(step.whole, threads=False), by_rows(step.whole))
    return [*(_one_on_cpu(step, way, target) for way in ways if way), other]


def _one_on_cpu(
    step: Attention, schedule: CpuAttentionSchedule, target: CpuTarget
) -> Option[Launches]:
    """One kernel by `schedule`, and by threads where that is faster."""
    whole = step.whole
    heads = hint(whole.heads)
    computed = heads * _pairs_us(whole, schedule)
    computed += cost.arithmetic(whole.score.kernel) / target.figures.ops
    tiles = heads * -(-hint(whole.rows) // schedule.rows)
    moved = target.figures.moving_us(sum(step.traffic()))
    alone = max(computed, moved)
    cores = target.figures.cores
    shared = max(computed / min(cores, tiles), moved / cores) + target.waking_us
    us, schedule = min(alone, shared) * _OF_COST, replace(schedule, threads=shared < alone)
    one = Candidate(STRATEGY, saves(step, schedule.reason), us, schedule.parameters)
    return Option(one, (Launch(step, schedule),))


def _pairs_us(whole: Whole, schedule: CpuAttentionSchedule) -> float:
    """Microseconds for the pairs of a row and a key of one head: the scores of whole tiles of keys,
    their weights in every lane, and a mask at the rows that there are."""
    if schedule.rows == 1:
        each = 2 * (whole.depth + whole.width) / _ROW_FLOPS_PER_US + _ROW_SCORE_US
        return visited(whole, 1, 1) * each
    scored = visited(whole, schedule.rows, schedule.keys) * 2 * whole.depth / _FLOPS_PER_US
    weighed = visited(whole, schedule.rows, 1) * (2 * whole.width / _FLOPS_PER_US + _SCORE_US)
    read = len(whole.across) * _ACROSS_US + len(whole.scattered) * _SCATTERED_US
    return scored + weighed + visited(whole, 1, 1) * read


def _too_long(whole: Whole) -> str:
    longest = max(whole.depth, whole.width)
    return f"tiles of {longest} elements a key do not fit the cache" if longest > _LONGEST else ""
