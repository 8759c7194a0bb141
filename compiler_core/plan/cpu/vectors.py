"""What a product of a matrix and a vector takes on a CPU, by what a processor was measured to take
for such products (measure/probe_products.py): tiles in registers are mostly empty then, and
libraries have ways of their own, so that the rates of other products say nothing of it."""

from collections.abc import Mapping

from compiler_core.ir.sizes import hint
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.targets import CpuTarget

# Of a schedule's parameters those by which its way differs.
_DIFFERING = ("by", "threads")


def is_of_vector(m: Matmul) -> bool:
    """Whether a product has a single row or column."""
    return 1 in (m.m, m.n)


def way_of(m: Matmul, strategy: str, parameters: Mapping[str, int | str]) -> str:
    """What figures call a way to compute such a product: `blas, f32, row, by columns`."""
    details = (str(parameters[name]) for name in _DIFFERING if name in parameters)
    side, in_rows = ("row", m.transpose_rhs) if m.m == 1 else ("column", not m.transpose_lhs)
    stored = "rows" if in_rows else "columns"
    return f"{' '.join((strategy, *details))}, {m.dtype}, {side}, by {stored}"


def measured_us(
    m: Matmul,
    strategy: str,
    parameters: Mapping[str, int | str],
    target: CpuTarget,
    moved: int = 0,
) -> float | None:
    """Microseconds, at least those for `moved` bytes more than the operands and the result have;
    None of another product, and where nothing of the kind was measured."""
    way, figures = way_of(m, strategy, parameters), target.figures
    if not is_of_vector(m) or way not in figures.vectors:
        return None
    elements = hint(m.batch * m.m * m.n * m.k)
    moving = figures.moving_us(sum(m.traffic()) + moved, shared=True)
    waking = (target.waking_us - figures.waking_us) * ("threads" in parameters)
    return max(figures.vectors[way].us(elements), moving) + max(0.0, waking)
