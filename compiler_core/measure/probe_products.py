"""The products of a matrix and a vector that a machine is probed with: by each way that a product
has, of matrices of several sizes, stored by rows or by columns, from either side.

A call begins where what C did before has ended, and ends where C goes on: leaving it for a library
that the framework calls is part of that.
"""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compiler_core.ir.sizes import number
from compiler_core.ir.types import BF16, F16, F32, DType, TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.measure.probe_kernels import probes
from compiler_core.plan.choose import OnCpu
from compiler_core.plan.cpu.libraries import REGISTERS
from compiler_core.plan.cpu.vectors import way_of
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import KernelStep, Matmul, Step
from compiler_core.schedule.choice import Option, Scope, candidate_names
from compiler_core.schedule.figures import Curve
from compiler_core.schedule.targets import CpuTarget
from compiler_core.steering import Steering, steered

# Of the matrix: in the first-level cache, in the second, in the last; and in none. Tiles are not
# asked of the last, which they copy.
SIDES, LARGE = (64, 256, 1024), 4096
# A call of each is followed by others: the last finds its data where they left it.
REPEATS = 3
_DTYPES = (F32, BF16, F16)


@dataclass(frozen=True)
class Way:
    """One way to compute a product with a matrix of `side` rows and columns."""

    name: str
    side: int
    step: Matmul
    launches: tuple[Launch, ...]


def ways(target: CpuTarget) -> list[Way]:
    """All ways that the target has."""
    steps = (
        _product(dtype, side, row=row, transposed=transposed)
        for dtype in _DTYPES
        for side in (*SIDES, LARGE)
        for row in (True, False)
        for transposed in (True, False)
    )
    return [way for step in steps for way in _ways(step, OnCpu(target))]


def _product(dtype: DType, side: int, *, row: bool, transposed: bool) -> Matmul:
    """[1, k] @ [k, n] or [m, k] @ [k, 1], the matrix stored as it is or transposed."""
    given = f"product_{dtype}_{side}"
    name = f"{given}_{'row' if row else 'column'}{'_transposed' * transposed}"
    vector, matrix = TensorType(dtype, (side,)), TensorType(dtype, (side, side))
    x, y = BufferParam(f"{given}_x", vector, "in"), BufferParam(f"{given}_y", matrix, "in")
    out, (m, n) = BufferParam(f"{name}_z", vector, "out"), (1, side) if row else (side, 1)
    left, right = (x, y) if row else (y, x)
    return Matmul(
        name, dtype, 1, m, n, side, left, right, out,
        transpose_lhs=transposed and not row, transpose_rhs=transposed and row,
    )  # fmt: skip


@dataclass(frozen=True)
class _Picking(Steering):
    """Takes the candidate of this name."""

    name: str

    def picks(self, of: Scope | None, options: Sequence[Option[Any]]) -> Option[Any] | None:
        named = zip(candidate_names(o.candidate for o in options), options, strict=True)
        return next((o for name, o in named if name == self.name and o.is_possible), None)


def _ways(step: Matmul, choose: OnCpu) -> Iterator[Way]:
    able = ((name, c) for name, c in choose(step)[0].named if c.cost_us is not None)
    named = [x for x in able if x[1].strategy != REGISTERS or _has_tiles(step)]
    for name, candidate in named:
        called = f"{step.name}_{name.replace('.', '_')}"
        # What the framework leaves is no memory that C may write to.
        own = replace(step, name=called, out=replace(step.out, name=f"{called}_z"))
        with steered(_Picking(name)):
            launches = choose(own)
        called = way_of(step, candidate.strategy, candidate.parameters)
        yield Way(called, number(step.k), own, launches)


def _has_tiles(step: Matmul) -> bool:
    """Whether tiles are measured, too."""
    return step.k in (SIDES if step.dtype is F32 else SIDES[1:])


@dataclass(frozen=True)
class Chosen:
    """A chooser that has each way's launches already, and chooses nothing else but kernels."""

    ways: Mapping[str, Way]
    kernels: OnCpu
    fits = None

    def __call__(self, step: Step) -> tuple[Launch, ...]:
        name, _, number = step.name.rpartition("_")
        found = self.ways.get(name)
        if found is None:
            return self.kernels(step)
        return tuple(replace(x, step=_numbered(x.step, number)) for x in found.launches)

    def inside(self) -> "Chosen":
        return self

    def arranged(self, launches: tuple[Launch, ...], over: Mapping[str, str]) -> tuple[Launch, ...]:
        return launches


def _numbered(step: Any, number: str) -> Any:
    """The step under a name of its own, with memory of its own."""
    scratch = tuple(replace(b, name=f"{b.name}_{number}") for b in step.scratch)
    return replace(step, name=f"{step.name}_{number}", scratch=scratch)


def steps(every: Sequence[Way]) -> list[Step]:
    """Each way several times, between kernels that C runs."""
    small = probes()["call"].kernel
    found = list[Step]()
    for way, repetition in itertools.product(every, range(REPEATS)):
        name = f"{way.step.name}_{repetition}"
        before = KernelStep(replace(small, name=f"before_{name}"))
        found += [before, replace(way.step, name=name)]
    return [*found, KernelStep(replace(small, name="after_0"))]


def curves(us: Mapping[tuple[str, int], float]) -> dict[str, Curve]:
    """Through the microseconds of each way, by its name and the side of the matrix."""
    found = {}
    for way in dict.fromkeys(name for name, _ in us):
        sides = sorted(side for name, side in us if name == way)
        found[way] = Curve(tuple(s * s for s in sides), tuple(us[way, s] for s in sides))
    return found
