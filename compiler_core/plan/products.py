"""What computes a matrix product on a CPU: a row a candidate.

torch's CPU build brings BLAS, which generated C can call, and oneDNN, which is reached through
torch. On processors that its BLAS (MKL) has no kernels of its own for, AMD's among them, oneDNN
is faster once a product takes longer than the 20 us that calling it through torch costs; on
small ones BLAS is (docs/decisions/0007-matrix-products.md). The rates are those measured there.
Below some 40 us even BLAS's threads cost more than they bring: generated C holds tiles of the
result in registers, at 200 to 240 operations a nanosecond on one core where MKL does 80.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from compiler_core.ir.sizes import Symbol, at_least, at_most
from compiler_core.ir.types import F32, F64
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.choice import Candidate, Option
from compiler_core.schedule.targets import CpuTarget

# The product that is no library's.
REGISTERS = "registers"
BLAS_ROUTINES = {F32.name: "sgemm", F64.name: "dgemm"}
# BLAS takes sizes as int.
_LARGEST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class LibrarySchedule:
    """A library runs the step; `strategy` names it."""

    strategy: str
    reason: str = ""
    parameters: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Library:
    """`refuses` says why it cannot compute a product, "" if it can; `flops_per_us` is its rate for
    f32."""

    name: str
    title: str
    refuses: Callable[[Matmul, CpuTarget], str]
    flops_per_us: float
    call_us: float

    def option(self, step: Matmul, target: CpuTarget) -> Option[LibrarySchedule]:
        refusal = self.refuses(step, target)
        if refusal:
            return Option(Candidate(self.name, refusal))
        rate = self.flops_per_us * F32.bytes / max(F32.bytes, step.dtype.bytes)
        cost = max(step.flops() / rate, sum(step.traffic()) / target.bytes_per_us) + self.call_us
        return Option(
            Candidate(self.name, self.title, cost), LibrarySchedule(self.name, self.title)
        )


def _blas_refuses(step: Matmul, target: CpuTarget) -> str:
    routine = BLAS_ROUTINES.get(step.dtype.name)
    if routine is None:
        return f"BLAS has no product of {step.dtype}"
    if routine not in target.libraries:
        return f"torch was built without a BLAS that shows {routine}"
    sizes = (step.batch, step.m, step.n, step.k)
    if not all(at_least(size, 1) and at_most(size, _LARGEST) for size in sizes):
        return "BLAS takes sizes from 1 to 2^31 - 1"
    return ""


def _onednn_refuses(step: Matmul, target: CpuTarget) -> str:
    if "onednn" not in target.libraries:
        return "torch was built without oneDNN"
    if step.dtype is not F32 or step.batch != 1 or step.transpose_lhs:
        return "oneDNN is asked for single f32 products of a left operand stored by rows"
    return ""


# Longer than this, the threads of BLAS are worth waking: a product takes some 40 us.
_MOST_IN_REGISTERS = 2**23
# Elements of a transposed right operand that are put side by side on the stack.
_LONGEST_PACKED = 2048


def _named(symbols: Iterable[Symbol]) -> str:
    return ", ".join(map(str, symbols))


def _registers_refuse(step: Matmul, target: CpuTarget) -> str:
    if step.symbols:
        return f"tiles in registers have sizes that are numbers, not {_named(step.symbols)}"
    if step.dtype not in (F32, F64) or step.batch != 1:
        return "tiles in registers are made for single products of f32 and f64"
    if step.flops() > _MOST_IN_REGISTERS:
        return f"more than {_MOST_IN_REGISTERS} operations are worth the threads of a library"
    if step.transpose_rhs and step.k > _LONGEST_PACKED:
        return f"columns of more than {_LONGEST_PACKED} are not put side by side"
    return ""


_CPU = (
    _Library(REGISTERS, "tiles in registers, generated", _registers_refuse, 200e3, 0.0),
    _Library("blas", "BLAS, called from C", _blas_refuses, 170e3, 0.0),
    _Library("onednn", "oneDNN, called through torch", _onednn_refuses, 215e3, 20.0),
    _Library("torch", "torch.matmul", lambda step, target: "", 170e3, 25.0),
)


def on_cpu(step: Matmul, target: CpuTarget) -> list[Option[LibrarySchedule]]:
    return [library.option(step, target) for library in _CPU]
