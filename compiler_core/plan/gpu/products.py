"""How a matrix product runs on a GPU: by the vendor's library, or as generated kernels with fused
fragments.

    matmul      tiles of the result, each computed by one program in steps along k
    split k     such tiles of parts of k, then a kernel that adds these: few tiles, and a long k
    reduction   an ordinary reduction: a single row or column, of which tiles would be mostly empty;
                integers and bools, which nobody else multiplies on a GPU
    vendor      the library, through torch

All are costed by the models of schedule/gpu/tiles.py and schedule/gpu/split.py, the vendor's with
tiles and a share of the peak of its own. So large products, which arithmetic bounds, are the
vendor's; those that memory or too few programs bound are generated, as are those whose fragments
save memory traffic. A tile of an operand is loaded, and its prologue computed, by every program
that computes a tile of the same rows or columns.
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping

from compiler_core.ir.types import BF16, F16, F32
from compiler_core.kernel.fragment import NoFragment
from compiler_core.plan.fused_matmul import ROLES, FusedMatmul, Part, Role, refused_part
from compiler_core.plan.gpu.fused import (
    Apart,
    Launches,
    Rest,
    again,
    among,
    apart,
    cost_us,
    extents,
    moving_us,
    named,
    tiled_us,
)
from compiler_core.plan.gpu.sums import in_parts, of_integers, of_one_row
from compiler_core.plan.library import LibrarySchedule
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.gpu.matmul import GpuMatmulSchedule, choose_gpu_matmul
from compiler_core.schedule.gpu.tiles import Rate, vendor_us
from compiler_core.schedule.targets import GpuTarget

_GENERATED = frozenset({F32, F16, BF16})


def fits(part: Part) -> bool:
    """Whether a kernel can be part of a generated product."""
    return not isinstance(part.fragment, NoFragment)


def alone(step: Matmul, target: GpuTarget) -> list[Option[Launches]]:
    """A product without fragments, generated or the vendor's."""
    return with_parts(FusedMatmul(step, {}), lambda _: (), target)


def with_parts(step: FusedMatmul, launch: Apart, target: GpuTarget) -> list[Option[Launches]]:
    """The candidates: an ordinary reduction, for a single row or column and for integers; the
    generated product with each subset of its parts, the largest first and the empty one last, also
    divided along k; and, of floats, the vendor's, with all other kernels separate."""
    options = of_one_row(step, launch, target) or of_integers(step, launch, target)
    options += [
        Option(refused_part("matmul", part, part.fragment.reason))
        for part in step.parts.values()
        if isinstance(part.fragment, NoFragment)
    ]
    refusal = _not_generated(step.matmul)
    if refusal:
        options.append(Option(Candidate("matmul", refusal)))
    else:
        options += (_generated(step, roles, launch, target) for roles in _subsets(step))
        options += in_parts(step, launch, target)
    vendor = [_vendor(step, refusal, launch, target)] if step.matmul.dtype.is_float else []
    return [*options, *vendor]


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
    return "" if m.flops() else "a size of the product is 0, so there is nothing to multiply"


# -- generated


def _generated(
    step: FusedMatmul, roles: tuple[Role, ...], launch: Apart, target: GpuTarget
) -> Option[Launches]:
    m, kept = step.matmul, step.keeping(roles)
    schedule = choose_gpu_matmul(m.dtype, (m.batch, m.m, m.n, m.k), target)
    rest = apart(step, roles, launch)
    tiles = max(tiled_us(step, roles, schedule, target), moving_us(kept, target))
    cost = tiles + target.launch_us + cost_us(rest)
    reason = "; ".join(_reasons(schedule, roles, again(m, roles, schedule), rest))
    one = (Launch(kept.generated(), schedule),)
    return Option(Candidate("matmul", reason, cost, schedule.parameters), among(one, rest))


def _reasons(
    schedule: GpuMatmulSchedule,
    roles: Iterable[Role],
    loaded: Mapping[Role, int],
    rest: Rest,
) -> Iterator[str]:
    yield "one kernel: the product stays in registers" if "end" in roles else schedule.reason
    for role, times in loaded.items():
        done = "once" if times == 1 else f"{times} times"
        yield f"each tile of {role} is computed where it is loaded, {done}"
    yield from named(rest)


# -- the vendor's


def _vendor(step: FusedMatmul, refusal: str, launch: Apart, target: GpuTarget) -> Option[Launches]:
    """The vendor's product; `refusal` says why it is not generated, "" where it could be."""
    m, rest = step.matmul, apart(step, (), launch)
    reason = f"the vendor's library, through torch: {refusal or _better(m, target)}"
    one = (Launch(m, LibrarySchedule("vendor", reason)),)
    cost = max(_vendor_us(m, target), moving_us(m, target)) + target.launch_us + cost_us(rest)
    title = "; ".join((reason, *named(rest)))
    return Option(Candidate("vendor", title, cost), among(one, rest))


def _vendor_us(m: Matmul, target: GpuTarget) -> float:
    """Its kernels for a single row or column are taken to be as fast as a generated reduction."""
    found = vendor_us(extents(m), m.dtype, target)
    own = of_one_row(FusedMatmul(m, {}), lambda _: (), target)
    return min(
        [found, *(x.candidate.cost_us - target.launch_us for x in own if x.candidate.cost_us)]
    )


def _better(m: Matmul, target: GpuTarget) -> str:
    """What it has before a generated product."""
    own, other = Rate.vendor(m.dtype, target), Rate.generated(m.dtype, target)
    return f"its tiles reach {own.share:.0%} of the peak, generated ones {other.share:.0%}"
