"""Control flow as a step: a plan for each region, and how values pass from one iteration to the
next.

On a CPU, generated C runs the loop if it runs every step inside; otherwise the host does
(ir/control.py), with the same results.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Literal, TypeVar

from compiler_core.ir.control import trips
from compiler_core.ir.graph import Operation
from compiler_core.ir.ops import OPS
from compiler_core.ir.sizes import Dim, Symbol, symbols
from compiler_core.ir.types import U8, TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.plan.memory import ALIGNMENT
from compiler_core.plan.plan import Plan

N = TypeVar("N", int, float)

# How one result of a loop's body passes to the next iteration:
How = Literal[
    "written",  # a kernel writes it where it belongs: the row, or the carried value's other place
    "shown",  # it is in memory that outlasts the next step: the carried value points there
    "copied",  # from where it is, to where it belongs
    "kept",  # it is the carried value itself
]


@dataclass(frozen=True, slots=True)
class Transfer:
    """How one result of a loop's body becomes the next iteration's value. `rotates`: the carried
    value has two places in memory, one read and one written, which are swapped after each
    iteration."""

    how: How
    rotates: bool = False


@dataclass(frozen=True)
class Control:
    """`operation` is a while, scan, case or call; `plans` has a plan for each of its regions.
    `inputs` and `outputs` are its operands and results.

    `workspace` is memory that the plans share for their temporaries, one plan at a time; after
    these come `spares` (the second place of each carried value that rotates) and, for a while, the
    byte of the condition. Offsets are in bytes from its start, and follow from the sizes of what
    the plans have in memory.
    """

    name: str
    operation: Operation
    plans: tuple[Plan, ...]
    inputs: tuple[BufferParam, ...]
    outputs: tuple[BufferParam, ...]
    transfers: tuple[Transfer, ...] = ()
    library = None
    by_design = False
    steps = ()
    kernel = None
    skips_masked = False
    partial = False

    @property
    def kind(self) -> str:
        return self.operation.op

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        dims = (*(dim for b in self.outputs for dim in b.type.shape), self._length)
        own = {s for dim in dims for s in symbols(dim)}
        inner = {s for plan in self.plans for x in plan.steps for s in x.symbols}
        return tuple(sorted(own | inner))

    @property
    def origins(self) -> tuple[int, ...]:
        return self.operation.origins

    @property
    def ops(self) -> tuple[str, ...]:
        return tuple(op for plan in self.plans for step in plan.steps for op in step.ops)

    @property
    def scratch(self) -> tuple[BufferParam, ...]:
        return () if self.workspace is None else (self.workspace,)

    @cached_property
    def workspace(self) -> BufferParam | None:
        """The workspace as a buffer of bytes; None if nothing is in it. Whether it exists does not
        depend on sizes, so at other sizes than the captured ones it may have 0 bytes."""
        if not self.offsets:
            return None
        return BufferParam(f"{self.name}_scratch", TensorType(U8, (self._layout.size,)), "out")

    @cached_property
    def offsets(self) -> Mapping[str, int]:
        """The offsets of what is in the workspace by name, in bytes from its start: each temporary
        of its plans, the second place of each carried value that rotates, and the flag."""
        placed = (p for plan in self.plans for p in plan.placements)
        found = {p.name: p.offset for p in placed if p.offset is not None}
        return {**found, **self._layout.offsets}

    @cached_property
    def _layout(self) -> "_Layout":
        """What lies after the plans' temporaries, which share memory."""
        arena = max((plan.arena_bytes for plan in self.plans), default=0)
        rotating = {
            self.spare(k): result.type.at_hint().bytes
            for k, (result, passed) in enumerate(zip(self.outputs, self.transfers, strict=False))
            if passed.rotates
        }
        flag = {self.flag_name: 1} if self.kind == "while" else {}
        return _Layout.after(arena, rotating | flag)

    def spare(self, k: int) -> str:
        """The buffer name of the second place of loop-carried value `k` (double buffering)."""
        return f"{self.name}_spare{k}"

    @property
    def flag_name(self) -> str:
        return f"{self.name}_flag"

    @property
    def trips(self) -> int:
        """How often its plans run: the length of a scan at the captured sizes, else 1."""
        return trips(self.operation)

    @property
    def _length(self) -> Dim:
        return self.operation["length"] if self.kind == "scan" else 1

    @property
    def is_branch(self) -> bool:
        """Whether a call runs only one of its plans, as a case does."""
        return OPS[self.kind].regions == "branches"

    def total(self, of: Callable[[Plan], N]) -> N:
        """A figure of the step, from the figure `of` each of its plans: their sum over all
        iterations of a scan, that of one iteration of a while, or the largest among the branches of
        a case."""
        each = [of(plan) for plan in self.plans]
        return self.trips * (max(each) if self.is_branch else sum(each))

    @property
    def launches(self) -> int:
        return self.total(lambda plan: sum(step.launches for step in plan.steps))

    def traffic(self) -> tuple[int, int]:
        """(bytes read, bytes written); for branches, the largest of each."""
        read = self.total(lambda plan: sum(step.traffic()[0] for step in plan.steps))
        return read, self.total(lambda plan: sum(step.traffic()[1] for step in plan.steps))

    def flops(self) -> int:
        return self.total(lambda plan: sum(step.flops() for step in plan.steps))

    def lines(self) -> list[Line]:
        return list(_lines(self))


def _lines(step: Control) -> Iterator[Line]:
    outs, ins = (", ".join(b.name for b in side) for side in (step.outputs, step.inputs))
    about = {"scan": f" {step.trips} steps", "case": f" {len(step.plans)} branches"}
    yield (
        f"{step.kind} {step.name}: {outs} = {step.kind}({ins}){about.get(step.kind, '')}",
        (step.origins),
    )
    for region, plan in zip(step.operation.regions, step.plans, strict=True):
        given, results = ", ".join(plan.inputs), ", ".join(plan.outputs)
        yield f"  {region.name}({given}) -> {results}", step.origins
        for inner in plan.steps:
            yield from ((f"    {text}" if text else "", origins) for text, origins in inner.lines())


# -- how values pass


def transfers(body: Plan, carried: int) -> tuple[Transfer, ...]:
    """How each result of a loop's body is passed on; the first `carried` results are the carried
    values.

    A pointer may refer to memory that outlives the next iteration: an invariant, a row of a scanned
    or stacked array, the place that a rotating value was written to. It may not refer to the
    previous carried value, whose place is overwritten in the iteration that would read it.
    """
    owners: dict[str, int] = {}
    rows_first = sorted(range(len(body.outputs)), key=lambda k: (k < carried, k))
    for k in rows_first:
        owners.setdefault(body.outputs[k], k)
    return tuple(_transfer(body, carried, k, owners) for k in range(len(body.outputs)))


def _transfer(body: Plan, carried: int, k: int, owners: dict[str, int]) -> Transfer:
    name, is_carried = body.outputs[k], k < carried
    if name in body.inputs:
        place = body.inputs.index(name)
        if is_carried and place == k:
            return Transfer("kept")
        shown = is_carried and place >= carried
        return Transfer("shown") if shown else Transfer("copied", is_carried)
    if owners[name] == k:
        return Transfer("written", is_carried)
    return Transfer("shown") if is_carried else Transfer("copied")


# -- memory


@dataclass(frozen=True, slots=True)
class _Layout:
    """Offsets by name, and the `size` of the whole, in bytes."""

    offsets: Mapping[str, int]
    size: int

    @classmethod
    def after(cls, used: int, sizes: Mapping[str, int]) -> "_Layout":
        """The layout of buffers of these sizes in bytes, each aligned, one after the other, behind
        the first `used` bytes."""
        ends = list(accumulate(map(_aligned, sizes.values()), initial=_aligned(used)))
        return cls(dict(zip(sizes, ends, strict=False)), ends[-1])


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
