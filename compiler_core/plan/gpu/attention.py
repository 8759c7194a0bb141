"""The candidates for running attention on a GPU: one kernel, or the separate steps that it consists
of."""

from compiler_core.plan.attention.candidates import Launches, apart_of, saves
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.plan import Launch
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.gpu.attention import STRATEGY, choose_gpu_attention, fits_gpu
from compiler_core.schedule.gpu.tiles import Rate
from compiler_core.schedule.targets import GpuTarget


def on_gpu(step: Attention, apart: Launches, target: GpuTarget) -> list[Option[Launches]]:
    """The candidates for attention on a GPU: one kernel, or `apart`, the launches of its separate
    steps. Nothing has been measured on a GPU: both are taken to compute at the rate of generated
    products, so what decides is that the one kernel neither writes nor reads the scores."""
    other, refusal = apart_of(apart), _too_large(step)
    if refusal:
        return [Option(Candidate(STRATEGY, refusal)), other]
    schedule = choose_gpu_attention(step.whole)
    rate = Rate.generated(step.whole.dtype, target)
    moved, computed = sum(step.traffic()) / target.bandwidth, step.flops() / rate.flops
    us = target.launch_us + max(moved, computed) * 1e6
    one = Candidate(STRATEGY, saves(step, schedule.reason), us, schedule.parameters)
    return [Option(one, (Launch(step, schedule),)), other]


def _too_large(step: Attention) -> str:
    """Why Triton cannot compute it, "" where it can."""
    if not fits_gpu(step.whole):
        longest, dtype = max(step.whole.depth, step.whole.width), step.whole.dtype
        return f"rows of {longest} elements of {dtype} do not fit a program's registers"
    return ""
