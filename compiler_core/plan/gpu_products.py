"""How a matrix product runs on a GPU: by the vendor's library, or as one generated kernel with
fused fragments.

Both are costed by the model of schedule/gpu_tiles.py, the vendor's with tiles and a share of the
peak of its own. So large products, which arithmetic bounds, are the vendor's; those that memory or
too few programs bound are generated, as are those whose fragments save memory traffic. A tile of an
operand is loaded, and its prologue computed, by every program that computes a tile of the same rows
or columns.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from compiler_core.ir.sizes import hint
from compiler_core.ir.types import BF16, F16, F32
from compiler_core.kernel.fragment import NoFragment
from compiler_core.plan.fused_matmul import ROLES, FusedMatmul, Part, Role
from compiler_core.plan.plan import Launch
from compiler_core.plan.products import LibrarySchedule
from compiler_core.plan.steps import Matmul, Step
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.gpu_matmul import GpuMatmulSchedule, choose_gpu_matmul
from compiler_core.schedule.gpu_tiles import Extents, Rate, tiles_us, vendor_us
from compiler_core.schedule.targets import GpuTarget

Launches = tuple[Launch, ...]
# Returns the launches of a step that stays apart.
Apart = Callable[[Step], Launches]

_GENERATED = frozenset({F32, F16, BF16})


def fits(part: Part) -> bool:
    """Whether a kernel can be part of a generated product."""
    return not isinstance(part.fragment, NoFragment)


def alone(step: Matmul, target: GpuTarget) -> list[Option[Launches]]:
    """A product without fragments, generated or the vendor's."""
    return with_parts(FusedMatmul(step, {}), lambda _: (), target)


def with_parts(step: FusedMatmul, launch: Apart, target: GpuTarget) -> list[Option[Launches]]:
    """The candidates: the product generated with each subset of its parts, the largest first and
    the empty one last; and the vendor's, with everything else apart."""
    refusals = [f"{p.step.name}: {p.fragment.reason}" for p in step.parts.values()
                if isinstance(p.fragment, NoFragment)]  # fmt: skip
    options: list[Option[Launches]] = [Option(Candidate("matmul", x)) for x in refusals]
    refusal = _not_generated(step.matmul)
    if refusal:
        options.append(Option(Candidate("matmul", refusal)))
    else:
        options += (_generated(step, roles, launch, target) for roles in _subsets(step))
    return [*options, _vendor(step, refusal, launch, target)]


def _subsets(step: FusedMatmul) -> Iterator[tuple[Role, ...]]:
    """The subsets of roles that one kernel may keep, the largest first."""
    able = [role for role in ROLES if step.fragment(role) is not None]
    for count in range(len(able), -1, -1):
        yield from itertools.combinations(able, count)


def _not_generated(m: Matmul) -> str:
    """Why Triton does not compute a product, "" where it does."""
    odd = {m.dtype, m.lhs.type.dtype, m.rhs.type.dtype} - _GENERATED
    if odd:
        return f"no generated product of {' and '.join(sorted(map(str, odd)))}"
    return "" if m.flops() else "there is nothing to multiply"


# -- generated


def _generated(
    step: FusedMatmul, roles: tuple[Role, ...], launch: Apart, target: GpuTarget
) -> Option[Launches]:
    m, kept = step.matmul, step.keeping(roles)
    schedule = choose_gpu_matmul(m.dtype, (m.batch, m.m, m.n, m.k), target)
    again: dict[Role, int] = {r: _times(m, r, schedule) for r in roles if r != "end"}
    more = sum((times - 1) * step.parts[r].step.flops() for r, times in again.items())
    rest = {r: launch(p.step) for r, p in step.parts.items() if r not in roles}
    arithmetic = (kept.flops() - m.flops() + more) / target.f32_flops * 1e6
    rate = Rate.generated(m.dtype, target)
    tiles = tiles_us(_extents(m), schedule.tile, rate, target) + arithmetic
    cost = max(tiles, _moving_us(kept, target)) + target.launch_us + _cost_us(rest)
    reason = "; ".join(_reasons(schedule, roles, again, rest))
    own = replace(m, library=None, reason=reason)
    one = Launch(replace(kept, matmul=own) if isinstance(kept, FusedMatmul) else own, schedule)
    return Option(Candidate("matmul", reason, cost, schedule.parameters), _among((one,), rest))


def _reasons(
    schedule: GpuMatmulSchedule,
    roles: Iterable[Role],
    again: Mapping[Role, int],
    rest: Mapping[Role, Launches],
) -> Iterator[str]:
    yield "one kernel: the product stays in registers" if "end" in roles else schedule.reason
    for role, times in again.items():
        done = "once" if times == 1 else f"{times} times"
        yield f"each tile of {role} is computed where it is loaded, {done}"
    for launches in rest.values():
        yield f"{_names(launches)} apart"


def _times(m: Matmul, role: Role, schedule: GpuMatmulSchedule) -> int:
    """How many programs load each element of an operand."""
    if role == "lhs":
        return -(-hint(m.n) // schedule.block_n) * (1 if m.lhs_batched else hint(m.batch))
    return -(-hint(m.m) // schedule.block_m) * (1 if m.rhs_batched else hint(m.batch))


# -- the vendor's


def _vendor(step: FusedMatmul, refusal: str, launch: Apart, target: GpuTarget) -> Option[Launches]:
    """The vendor's product; `refusal` says why it is not generated, "" where it could be."""
    m, rest = step.matmul, {r: launch(p.step) for r, p in step.parts.items()}
    reason = f"the vendor's library, through torch: {refusal or _better(m, target)}"
    own = replace(m, reason=f"matmul: {reason}")
    one = (Launch(own, LibrarySchedule("vendor", reason)),)
    cost = max(_vendor_us(m, target), _moving_us(m, target)) + target.launch_us + _cost_us(rest)
    title = "; ".join((reason, *(f"{_names(launches)} apart" for launches in rest.values())))
    return Option(Candidate("vendor", title, cost), _among(one, rest))


def _vendor_us(m: Matmul, target: GpuTarget) -> float:
    """Its kernels for a single row or column are taken to be as fast as a generated one."""
    found = vendor_us(_extents(m), m.dtype, target)
    if 1 not in (m.m, m.n):
        return found
    tile = choose_gpu_matmul(m.dtype, (m.batch, m.m, m.n, m.k), target).tile
    return min(found, tiles_us(_extents(m), tile, Rate.generated(m.dtype, target), target))


def _better(m: Matmul, target: GpuTarget) -> str:
    """What it has before a generated product."""
    own, other = Rate.vendor(m.dtype, target), Rate.generated(m.dtype, target)
    return f"its tiles reach {own.share:.0%} of the peak, generated ones {other.share:.0%}"


# -- both


def _among(product: Launches, rest: Mapping[Role, Launches]) -> Launches:
    """The product with the launches of what stays apart, in order."""
    before = (x for role, own in rest.items() if role != "end" for x in own)
    return (*before, *product, *rest.get("end", ()))


def _cost_us(rest: Mapping[Role, Launches]) -> float:
    return sum(x.cost_us for own in rest.values() for x in own)


def _names(launches: Launches) -> str:
    return ", ".join(x.step.name for x in launches)


def _extents(m: Matmul) -> Extents:
    return Extents(hint(m.batch), hint(m.m), hint(m.n), hint(m.k))


def _moving_us(step: Step, target: GpuTarget) -> float:
    return sum(step.traffic()) / target.bandwidth * 1e6
