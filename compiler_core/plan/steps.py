"""The steps of a plan: generated kernels, matrix products, library calls.

All steps implement one protocol, so that ordering, memory planning, traffic, report and text need
not know their kinds. Printers and runtimes look up a step's kind in a table.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import Dim, Symbol, hint, symbols
from compiler_core.ir.types import DType
from compiler_core.kernel import text, work
from compiler_core.kernel.effects import Reduce, Scan
from compiler_core.kernel.kernel import BufferParam, Compute, Kernel, Load
from compiler_core.kernel.text import Line

if TYPE_CHECKING:
    from compiler_core.plan.plan import Launch, Plan


# The kind of a kernel that moves elements and computes nothing.
COPY = "copy"


class Step(Protocol):
    """`kind` is its name in the report, `ops` the operations in it. `library` names the library
    that computes it if no kernel is generated; `by_design` says that the library is preferred,
    rather than used for want of a lowering. `launches` is the number of launches it stands for.
    `steps` are those that a template was joined from, in order, none for other steps. `plans` are
    those that it runs itself (plan/control.py), `scratch` is memory that it needs while it runs,
    `symbols` are the sizes that its generated code is called with. `kernel` is the loop nest of a
    step that is one. `skips_masked`: it does not read what its own mask hides, NaN included.
    `partial`: of its outputs it leaves elements unwritten, which nobody reads.

    Why it runs as it does is not the step's to say, but its schedule's.
    """

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def inputs(self) -> tuple[BufferParam, ...]: ...
    @property
    def outputs(self) -> tuple[BufferParam, ...]: ...
    @property
    def scratch(self) -> tuple[BufferParam, ...]: ...
    @property
    def steps(self) -> "tuple[Step, ...]": ...
    @property
    def plans(self) -> "tuple[Plan, ...]": ...
    @property
    def kernel(self) -> Kernel | None: ...
    @property
    def skips_masked(self) -> bool: ...
    @property
    def partial(self) -> bool: ...
    @property
    def origins(self) -> tuple[int, ...]: ...
    @property
    def ops(self) -> tuple[str, ...]: ...
    @property
    def library(self) -> str | None: ...
    @property
    def by_design(self) -> bool: ...
    @property
    def symbols(self) -> tuple[Symbol, ...]: ...
    @property
    def launches(self) -> int: ...

    def traffic(self) -> tuple[int, int]:
        """(bytes read, bytes written), a lower bound."""
        ...

    def flops(self) -> int:
        """Arithmetic operations; a multiply-add counts as two."""
        ...

    def lines(self) -> list[Line]:
        """The step as text, each line with the ids of the captured operations that it comes
        from."""
        ...


@dataclass(frozen=True)
class KernelStep:
    """A generated kernel."""

    kernel: Kernel
    library = None
    by_design = False
    scratch = ()
    steps = ()
    plans = ()
    skips_masked = False
    partial = False
    launches = 1

    @property
    def name(self) -> str:
        return self.kernel.name

    @property
    def kind(self) -> str:
        return self.kernel.kind

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return self.kernel.inputs

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return self.kernel.outputs

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return self.kernel.symbols

    @property
    def origins(self) -> tuple[int, ...]:
        return self.kernel.origins

    @property
    def ops(self) -> tuple[str, ...]:
        loads = [d for d in self.kernel.defs if isinstance(d, Load)]
        effects = self.kernel.effects
        computing = (
            *("gather" for d in loads if d.access.indirect),
            *(d.op for d in self.kernel.defs if isinstance(d, Compute)),
            *(f"reduce_{e.monoid}" for e in effects if isinstance(e, Reduce)),
            *(f"scan_{e.monoid}" for e in effects if isinstance(e, Scan)),
            *("scatter" if e.mode == "set" else f"scatter_{e.mode}" for e in self.kernel.scattered),
        )
        return computing or ((COPY,) if loads else ("fill",))

    def traffic(self) -> tuple[int, int]:
        return work.traffic(self.kernel)

    def flops(self) -> int:
        return work.flops(self.kernel)

    def lines(self) -> list[Line]:
        return text.lines(self.kernel)


@dataclass(frozen=True)
class Matmul:
    """out[b] = op(lhs[b]) @ op(rhs[b]), by a library unless `library` is None. Buffers are dense
    and row-major; `transpose_lhs`: lhs is stored as [batch, k, m], `transpose_rhs`: rhs is stored
    as [batch, n, k]. `lhs_batched` false: the same lhs for the whole batch, stored without a batch
    axis; `rhs_batched` likewise. `k_part`: the length of the parts that k is divided into, each
    summed into a result of its own, so that out is [parts, batch, m, n]; 0: k is not divided.
    `parts` are the kernels fused to it, none here (plan/fused_matmul.py)."""

    name: str
    dtype: DType
    batch: Dim
    m: Dim
    n: Dim
    k: Dim
    lhs: BufferParam
    rhs: BufferParam
    out: BufferParam
    transpose_lhs: bool = False
    transpose_rhs: bool = False
    lhs_batched: bool = True
    rhs_batched: bool = True
    k_part: int = 0
    origins: tuple[int, ...] = ()
    library: str | None = "matmul"
    scratch: tuple[BufferParam, ...] = ()
    parts: ClassVar[Mapping[Any, Any]] = MappingProxyType({})
    kind = "matmul"
    ops = ("dot_general",)
    by_design = True
    steps = ()
    plans = ()
    kernel = None
    skips_masked = False
    partial = False
    launches = 1

    def generated(self, scratch: tuple[BufferParam, ...] = ()) -> "Matmul":
        """This product by a generated kernel, which needs this memory while it runs."""
        return replace(self, library=None, scratch=scratch)

    @property
    def matmul(self) -> "Matmul":
        """The product itself; a FusedMatmul has the one without its fragments here."""
        return self

    def fragment(self, role: str) -> None:
        """The fragment with this role: always None, since nothing is fused."""

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that the product's sizes depend on."""
        dims = (self.batch, self.m, self.n, self.k)
        return tuple(sorted({s for dim in dims for s in symbols(dim)}))

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return (self.lhs, self.rhs)

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return (self.out,)

    def traffic(self) -> tuple[int, int]:
        return _bytes(self.inputs), _bytes(self.outputs)

    def flops(self) -> int:
        return 2 * hint(self.batch * self.m * self.n * self.k)

    def lines(self) -> list[Line]:
        lhs = f"{self.lhs.name}{'^T' if self.transpose_lhs else ''}"
        rhs = f"{self.rhs.name}{'^T' if self.transpose_rhs else ''}"
        shape = f"{self.batch} x [{self.m},{self.k}] @ [{self.k},{self.n}]"
        shape += f" in parts of {self.k_part}" if self.k_part else ""
        return [(f"{self.out.name} = matmul {lhs} {rhs}  # {shape}", self.origins)]


@dataclass(frozen=True)
class LibraryCall:
    """A call of the framework's own kernel for an operation that the core does not lower
    (ir/library.py)."""

    name: str
    callee: Callee
    inputs: tuple[BufferParam, ...]
    outputs: tuple[BufferParam, ...]
    origins: tuple[int, ...] = ()
    kind = "librarycall"
    by_design = False
    scratch = ()
    steps = ()
    plans = ()
    kernel = None
    skips_masked = False
    partial = False
    symbols = ()
    launches = 1

    @property
    def ops(self) -> tuple[str, ...]:
        return (str(self.callee),)

    @property
    def library(self) -> str:
        return str(self.callee)

    def traffic(self) -> tuple[int, int]:
        return _bytes(self.inputs), _bytes(self.outputs)

    def flops(self) -> int:
        """Always 0, since the arithmetic of the framework's kernel is not known."""
        return 0

    def lines(self) -> list[Line]:
        outs = ", ".join(b.name for b in self.outputs)
        ins = ", ".join(b.name for b in self.inputs)
        return [(f"{outs} = library {self.callee}({ins})", self.origins)]


def _bytes(buffers: Iterable[BufferParam]) -> int:
    """What is given twice, as to `x @ x.T`, counts once."""
    return sum(b.type.at_hint().bytes for b in {b.name: b for b in buffers}.values())


def may_raise(step: Step) -> bool:
    """Whether a call may raise within the step: if it, or a step of a plan that it runs, is
    computed by the framework for want of a lowering."""
    inner = (x.step for plan in step.plans for x in plan.walk())
    return any(x.library is not None and not x.by_design for x in (step, *inner))


def listing(launches: "Iterable[Launch]") -> tuple[str, list[list[int]]]:
    """All launches as text, each with its strategy and why, and for each line the ids of the
    captured operations."""
    out: list[Line] = []
    for launch in launches:
        step, schedule = launch.step, launch.schedule
        head = f"# {schedule.strategy}: {schedule.reason}"
        out += [(head, step.origins), *step.lines(), ("", ())]
    out = out[:-1]
    return "\n".join(line for line, _ in out), [list(origins) for _, origins in out]
