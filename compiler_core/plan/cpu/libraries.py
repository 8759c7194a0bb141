"""The libraries that may compute a matrix product on a CPU: one table row each, with why it refuses
and what it costs.

torch's CPU build brings BLAS, which generated C can call, and oneDNN, which is reached through
torch at a cost of 20 us a call. How fast they are depends on the processor
(schedule/processors.py).
Generated C is another candidate (plan/cpu/products.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from compiler_core.ir.sizes import at_least, at_most, hint
from compiler_core.ir.types import F32, F64, DType
from compiler_core.plan.cpu.vectors import measured_us
from compiler_core.plan.library import LibrarySchedule
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.cpu.schedule import MANY_POINTS
from compiler_core.schedule.processors import Rates
from compiler_core.schedule.targets import CpuTarget

# The strategy of a product that is generated rather than a library's.
REGISTERS = "registers"
BLAS_ROUTINES = {F32.name: "sgemm", F64.name: "dgemm"}
# BLAS takes sizes as int.
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Library:
    """`refuses` says why it cannot compute a product, "" if it can; `rate` is how many operations
    of f32 one core computes in a microsecond."""

    name: str
    title: str
    refuses: Callable[[Matmul, CpuTarget], str]
    rate: Callable[[Rates], float]
    call_us: float
    # Microseconds for each product of a batch.
    each_us: float = 0.0
    # Rates of dtypes that are not as fast as their width suggests.
    others: Callable[[Rates], Mapping[DType, float]] = lambda rates: {}
    # The parameters that are chosen with the library.
    shared: Callable[[Matmul], Mapping[str, int | str]] = lambda step: {}

    def option(self, step: Matmul, target: CpuTarget) -> Option[LibrarySchedule]:
        refusal = self.refuses(step, target)
        if refusal:
            return Option(Candidate(self.name, refusal))
        rate = self.rate(target.rates) * F32.bytes / max(F32.bytes, step.dtype.bytes)
        rate = self.others(target.rates).get(step.dtype, rate)
        computing, moving = step.flops() / rate, target.figures.moving_us(sum(step.traffic()))
        many = hint(step.batch)
        alone = max(computing, moving) + self.each_us * many * (many > 1)
        schedule = LibrarySchedule(self.name, self.title, self.shared(step))
        cost = measured_us(step, self.name, schedule.parameters, target)
        if cost is None:
            cost = min(alone, alone / target.figures.cores + target.waking_us) + self.call_us
        elif many > 1:
            cost += self.each_us * many
        return Option(Candidate(self.name, self.title, cost, schedule.parameters), schedule)


def _blas_refuses(step: Matmul, target: CpuTarget) -> str:
    routine = BLAS_ROUTINES.get(step.dtype.name)
    if routine is None:
        return f"BLAS has no product of {step.dtype}"
    if routine not in target.libraries:
        return f"torch was built without a BLAS that exports {routine}"
    sizes = (step.batch, step.m, step.n, step.k)
    if not all(at_least(size, 1) and at_most(size, _LARGEST) for size in sizes):
        return "BLAS takes sizes from 1 to 2^31 - 1"
    return ""


def _by_threads(step: Matmul) -> Mapping[str, int | str]:
    """The threads share the products of a batch that has enough of them; inside a parallel region
    the BLAS uses one thread a call. Otherwise each call has threads of its own."""
    return {"threads": "all, a product each"} if hint(step.batch) >= MANY_POINTS else {}


def _onednn_refuses(step: Matmul, target: CpuTarget) -> str:
    if "onednn" not in target.libraries:
        return "torch was built without oneDNN"
    if target.in_loop:
        return "leaving C at every step of a loop costs more than a faster library saves"
    if not step.flops():
        return "a size of the product is 0, so there is nothing to multiply"
    if step.dtype is not F32 or step.batch != 1 or step.transpose_lhs:
        return "oneDNN is called only for a single f32 product with a left operand stored by rows"
    return ""


# The libraries that docs/decisions/0020-generated-products.md measured; torch has kernels of its
# own for bf16, and no fast ones for f16.
_LIBRARIES = (
    _Library("blas", "BLAS, called from C", _blas_refuses, lambda r: r.blas, 2.0, 0.2,
             shared=_by_threads),
    _Library("onednn", "oneDNN, called through torch", _onednn_refuses, lambda r: r.onednn, 20.0),
    _Library("torch", "torch.matmul", lambda step, target: "", lambda r: r.blas, 25.0, 0.2,
             lambda r: r.sixteen),
)  # fmt: skip


def libraries(step: Matmul, target: CpuTarget) -> list[Option[LibrarySchedule]]:
    """A candidate for each library: its modelled cost, or why it cannot compute the product."""
    return [library.option(step, target) for library in _LIBRARIES]
