"""How a matrix product runs on a GPU: by the vendor's library, or as one generated kernel with
fused fragments.

Both are assumed to compute at the rate of the vector units, as nothing has been measured on a GPU
yet: for types with matrix units this overestimates the time. The choice is therefore decided by the
memory traffic that fusion saves against the arithmetic that it repeats: a tile of an operand is
loaded, and its prologue computed, by every program that computes a tile of the same rows or
columns.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from compiler_core.ir.sizes import hint, number
from compiler_core.ir.types import BF16, F16, F32
from compiler_core.kernel.fragment import NoFragment
from compiler_core.plan.fused_matmul import ROLES, FusedMatmul, Part, Role
from compiler_core.plan.plan import Launch
from compiler_core.plan.products import LibrarySchedule
from compiler_core.plan.steps import Matmul, Step
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.gpu_matmul import GpuMatmulSchedule, choose_gpu_matmul
from compiler_core.schedule.targets import GpuTarget

Launches = tuple[Launch, ...]
VENDOR = "the vendor's library, through torch"

_GENERATED = frozenset({F32, F16, BF16})
# What tl.dot and its loads address with 32 bits.
_MOST_ELEMENTS = 2**31 - 1


def fits(part: Part) -> bool:
    """Whether a kernel can be part of a generated product."""
    return not isinstance(part.fragment, NoFragment)


def on_gpu(step: Matmul, target: GpuTarget) -> list[Option[LibrarySchedule]]:
    """The schedule of a product without fragments: the vendor's library."""
    cost = _us(step, target)
    return [Option(Candidate("vendor", VENDOR, cost), LibrarySchedule("vendor", VENDOR))]


def with_parts(
    step: FusedMatmul, launch: Callable[[Step], Launches], target: GpuTarget
) -> list[Option[Launches]]:
    """The candidates: the product generated with each subset of its parts, the largest first, and
    everything separate. `launch` returns the launches of a step that stays separate."""
    refusals = [f"{p.step.name}: {p.fragment.reason}" for p in step.parts.values()
                if isinstance(p.fragment, NoFragment)]  # fmt: skip
    options: list[Option[Launches]] = [Option(Candidate("matmul", x)) for x in refusals]
    refusal = _not_generated(step)
    if refusal:
        options.append(Option(Candidate("matmul", refusal)))
    else:
        options += (_generated(step, roles, launch, target) for roles in _subsets(step))
    apart = tuple(x for s in step.steps for x in launch(s))
    cost = sum(_us(s, target) for s in step.steps)
    title = "the vendor's product, the rest as kernels"
    return [*options, Option(Candidate("vendor", title, cost), apart)]


def _subsets(step: FusedMatmul) -> Iterator[tuple[Role, ...]]:
    """The subsets of roles that one kernel may keep, the largest first."""
    able = [role for role in ROLES if step.fragment(role) is not None]
    for count in range(len(able), 0, -1):
        yield from itertools.combinations(able, count)


def _generated(
    step: FusedMatmul,
    roles: tuple[Role, ...],
    launch: Callable[[Step], Launches],
    target: GpuTarget,
) -> Option[Launches]:
    m, together = step.matmul, replace(step, parts={r: step.parts[r] for r in roles})
    schedule = choose_gpu_matmul(m.dtype, *map(number, (m.batch, m.m, m.n, m.k)))
    own = replace(m, library=None, reason=schedule.reason)
    again: dict[Role, int] = {r: _times(m, r, schedule) for r in roles if r != "end"}
    more = sum((times - 1) * step.parts[r].step.flops() for r, times in again.items())
    rest = {r: p.step for r, p in step.parts.items() if r not in roles}
    cost = _us(together, target, more) + sum(_us(s, target) for s in rest.values())
    launches = (
        *(x for r, s in rest.items() if r != "end" for x in launch(s)),
        Launch(replace(together, matmul=own), schedule),
        *(x for r, s in rest.items() if r == "end" for x in launch(s)),
    )
    reason = "; ".join(_reasons(roles, again, rest))
    return Option(Candidate("matmul", reason, cost, schedule.parameters), launches)


def _reasons(
    roles: Iterable[Role], again: Mapping[Role, int], rest: Mapping[Role, Step]
) -> Iterator[str]:
    if "end" in roles:
        yield "one kernel: the product stays in registers"
    for role, times in again.items():
        done = "once" if times == 1 else f"{times} times"
        yield f"each tile of {role} is computed where it is loaded, {done}"
    for step in rest.values():
        yield f"{step.name} apart"


def _times(m: Matmul, role: Role, schedule: GpuMatmulSchedule) -> int:
    """How many programs load each element of an operand."""
    if role == "lhs":
        return -(-hint(m.n) // schedule.block_n) * (1 if m.lhs_batched else hint(m.batch))
    return -(-hint(m.m) // schedule.block_m) * (1 if m.rhs_batched else hint(m.batch))


def _us(step: Step, target: GpuTarget, more: int = 0) -> float:
    """Microseconds of a launch that executes `more` operations in addition to its step's."""
    moved = sum(step.traffic()) / target.bandwidth
    return target.launch_us + max(moved, (step.flops() + more) / target.f32_flops) * 1e6


def _not_generated(step: FusedMatmul) -> str:
    """Why Triton cannot compute a product; "" if it can."""
    m = step.matmul
    if not {m.dtype, m.lhs.type.dtype, m.rhs.type.dtype} <= _GENERATED:
        return f"no generated product of {m.dtype}"
    if max(b.type.numel for b in (*step.inputs, *step.outputs)) > _MOST_ELEMENTS:
        return "a buffer has 2^31 elements or more"
    return ""
