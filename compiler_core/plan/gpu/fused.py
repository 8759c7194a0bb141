"""What the candidates for running a product on a GPU have in common: the time of tiles with the
fragments that are computed on them, and the launches of the parts that stay separate."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from compiler_core.ir.sizes import hint
from compiler_core.kernel.kernel import Kernel
from compiler_core.plan.fused_matmul import FusedMatmul, Role
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import KernelStep, Matmul, Step
from compiler_core.schedule.gpu.choice import choose_gpu
from compiler_core.schedule.gpu.matmul import GpuMatmulSchedule
from compiler_core.schedule.gpu.schedule import Transformation
from compiler_core.schedule.gpu.tiles import Extents, Rate, tiles_us
from compiler_core.schedule.targets import GpuTarget

Launches = tuple[Launch, ...]
# Returns the launches of a step that stays separate.
Apart = Callable[[Step], Launches]
# The launches of the parts that stay separate, by role.
Rest = Mapping[Role, Launches]


def apart(step: FusedMatmul, inside: Iterable[Role], launch: Apart) -> Rest:
    """The launches, by role, of all parts that are not `inside` the product's kernels."""
    kept = set(inside)
    return {role: launch(part.step) for role, part in step.parts.items() if role not in kept}


def among(product: Launches, rest: Rest) -> Launches:
    """The product's launches with those of the separate parts, in order."""
    before = (x for role, own in rest.items() if role != "end" for x in own)
    return (*before, *product, *rest.get("end", ()))


def cost_us(rest: Rest) -> float:
    """Modelled microseconds of the launches that stay separate."""
    return sum(x.cost_us for own in rest.values() for x in own)


def named(rest: Rest) -> list[str]:
    """The phrases by which a candidate's reason lists the parts that stay separate."""
    return [f"{', '.join(x.step.name for x in own)} apart" for own in rest.values()]


def again(m: Matmul, roles: Iterable[Role], schedule: GpuMatmulSchedule) -> Mapping[Role, int]:
    """For each operand, how many programs load each of its elements and compute its prologue."""
    return {role: _times(m, role, schedule) for role in roles if role != "end"}


def _times(m: Matmul, role: Role, schedule: GpuMatmulSchedule) -> int:
    if role == "lhs":
        return -(-hint(m.n) // schedule.block_n) * (1 if m.lhs_batched else hint(m.batch))
    return -(-hint(m.m) // schedule.block_m) * (1 if m.rhs_batched else hint(m.batch))


def tiled_us(
    step: FusedMatmul, roles: Iterable[Role], schedule: GpuMatmulSchedule, target: GpuTarget
) -> float:
    """Microseconds to compute the tiles of a product, or of its parts along k, together with the
    fragments of `roles` on them; launching and memory traffic are not included."""
    times = again(step.matmul, roles, schedule)
    flops = sum(step.parts[role].step.flops() * times.get(role, 1) for role in roles)
    size = divided(extents(step.matmul), schedule.parts)
    tiles = tiles_us(size, schedule.tile, Rate.generated(step.matmul.dtype, target), target)
    return tiles + flops / target.f32_flops * 1e6


def divided(size: Extents, parts: int) -> Extents:
    """The sizes of a product whose k is divided into `parts`: `parts` times as many products, each
    with a part of k."""
    return replace(size, batch=size.batch * parts, k=-(-size.k // parts))


def extents(m: Matmul) -> Extents:
    """The sizes of a product in the captured call."""
    return Extents(hint(m.batch), hint(m.m), hint(m.n), hint(m.k))


def moving_us(step: Step, target: GpuTarget) -> float:
    """Microseconds to move a step's bytes at the target's bandwidth."""
    return sum(step.traffic()) / target.bandwidth * 1e6


def launches_of(
    kernel: Kernel, transformation: Transformation, reason: str, target: GpuTarget
) -> Launches:
    """The launches of a `kernel` that replaces a step by this transformation."""
    parts, candidates = choose_gpu(kernel, target)
    us = next(x.cost_us or 0.0 for x in candidates if x.chosen) / len(parts)
    return tuple(
        Launch(
            KernelStep(part.kernel),
            replace(part, transformation=transformation, reason=f"{reason}; {part.reason}"),
            (),
            us,
        )
        for part in parts
    )
