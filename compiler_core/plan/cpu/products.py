"""How a matrix product runs on a CPU: by a library, or as generated C that holds tiles of the
result in registers, with the kernels at its ends run on blocks of rows, or on panels of columns,
while these are in cache.

Fusing such a kernel keeps the values between it and the product out of memory, and saves the
threads one synchronisation; each element is computed once, as by a separate kernel.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

from compiler_core.kernel.by_rows import RowKernel
from compiler_core.plan.cpu.generated import generated
from compiler_core.plan.cpu.libraries import REGISTERS, libraries
from compiler_core.plan.fused_matmul import ROLES, FusedMatmul, Part, Role, refused_part
from compiler_core.plan.library import LibrarySchedule
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Matmul, Step
from compiler_core.schedule.choice import Option
from compiler_core.schedule.targets import CpuTarget

Launches = tuple[Launch, ...]


def fits(part: Part) -> bool:
    """Whether a kernel can run on rows of a generated product."""
    return isinstance(part.rows, RowKernel)


def alone(step: Matmul, target: CpuTarget) -> list[Option[Launches]]:
    """The ways to compute a product, the generated one first."""
    own = generated(FusedMatmul(step, {}), (), target)
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
        Option(refused_part(REGISTERS, part, part.rows.reason))
        for part in step.parts.values()
        if not isinstance(part.rows, RowKernel)
    ]
    for roles in _subsets(step):
        rest = {r: launch(p.step) for r, p in step.parts.items() if r not in roles}
        options += (_among(x, rest) for x in generated(step, roles, target))
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
