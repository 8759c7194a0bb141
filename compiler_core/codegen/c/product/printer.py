"""A matrix product as a C function: what does not depend on the order in which its tiles are
visited (rows.py, columns.py)."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from compiler_core.codegen.c.names import c_name
from compiler_core.codegen.c.signature import call, param, signature
from compiler_core.codegen.c.tiles import columns
from compiler_core.codegen.c.types import memory_type, register_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import Symbol, atom, is_multiple
from compiler_core.kernel.by_rows import RowKernel
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.fused_matmul import FusedMatmul, Role
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.cpu.matmul import CpuMatmulSchedule


@dataclass(frozen=True)
class Product:
    """A launch of a generated product. `parts` are the kernels that run on rows of its operands or
    result."""

    step: Matmul | FusedMatmul
    schedule: CpuMatmulSchedule

    @classmethod
    def of(cls, launch: Launch) -> "Product":
        assert isinstance(launch.step, Matmul | FusedMatmul)
        assert isinstance(launch.schedule, CpuMatmulSchedule)
        return cls(launch.step, launch.schedule)

    @property
    def matmul(self) -> Matmul:
        """The product without its parts."""
        return self.step.matmul

    @property
    def parts(self) -> Mapping[Role, RowKernel]:
        """The kernels that run on rows, by role."""
        found = {role: part.rows for role, part in self.step.parts.items()}
        return {role: x for role, x in found.items() if isinstance(x, RowKernel)}

    @property
    def buffers(self) -> tuple[BufferParam, ...]:
        """The function's parameters."""
        given = (*self.step.inputs, *self.step.outputs, *self.step.scratch)
        return tuple({b.name: b for b in given}.values())

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The sizes that the function is given."""
        return self.step.symbols


class ProductPrinter(ABC):
    """The function of a product; subclasses write what its threads do."""

    def __init__(
        self,
        w: Writer,
        product: Product,
        parts: Mapping[Role, RowKernel],
        origins: Iterable[int],
    ) -> None:
        self.product, self.m, self.schedule = product, product.matmul, product.schedule
        self.sizes, self.parts = product.schedule.shape, parts
        self.origins, self.w = tuple(origins), w
        self.names = {b.name: c_name(b.name) for b in product.buffers}
        self.names |= {b.name: "packed" for b in product.step.scratch}
        self.kind, self.register = memory_type(self.m.dtype), register_type(self.m.dtype)
        self.columns, self.several = columns(self.m.dtype), self.sizes.batch != 1

    def run(self) -> None:
        w, sizes, schedule = self.w, self.sizes, self.schedule
        many = f"{sizes.batch} x " if self.several else ""
        first, *rest = schedule.reason.split("; ")
        w.line(f"// {many}[{sizes.m}, {sizes.k}] @ [{sizes.k}, {sizes.n}]: {first}", self.origins)
        w.lines(*(f"// {line}" for line in rest))
        params = [param(replace(b, name=self.names[b.name])) for b in self.product.buffers]
        params += ["int threads"] if schedule.threads else []
        params += [f"long {symbol}" for symbol in self.product.symbols]
        signature(w, f"static void {self.product.step.name}", params, self.origins)
        with w.indent():
            self._before()
            if schedule.threads:
                w.lines("#pragma omp parallel num_threads(threads)", "{")
                with w.indent():
                    self._body()
                w.line("}")
            else:
                self._body()
        w.line("}")

    @abstractmethod
    def _before(self) -> None:
        """Memory that the threads share."""

    @abstractmethod
    def _body(self) -> None:
        """Prints what each thread does."""

    # -- operands

    def _operand(self, role: Role) -> str:
        """Where an operand of the present product of the batch begins."""
        m, sizes = self.m, self.sizes
        left = role == "lhs"
        name = self.names[(m.lhs if left else m.rhs).name]
        if not self.several or not (m.lhs_batched if left else m.rhs_batched):
            return name
        return f"{name} + b * {atom((sizes.m if left else sizes.n) * sizes.k)}"

    def _pack(self, panels: str) -> None:
        """Copies the panel of columns from `j` to where it is kept."""
        m, sizes = self.m, self.sizes
        step, suffix = (f" * {sizes.k}", "_t") if m.transpose_rhs else ("", "")
        apart = sizes.k if m.transpose_rhs else sizes.n
        at = f"{self._operand('rhs')} + j{step}"
        given = [at, str(apart), str(sizes.k), f"{sizes.n} - j", panels]
        call(self.w, f"pack_{m.dtype}{suffix}", given, m.origins)

    # -- rows

    @property
    def _range(self) -> tuple[str, str]:
        """The block's rows among those of the whole batch."""
        return ("low", "high") if self.several else ("row", "end")

    def _ends(self, rows: int) -> None:
        """Where the `rows` from `row` end, and between which of the whole batch they are."""
        sizes, end = self.sizes, f"row + {rows}"
        if not is_multiple(sizes.m, rows):
            end = f"{end} < {sizes.m} ? {end} : {sizes.m}"
        self.w.line(f"long end = {end};")
        if self.several:
            below = f"b * {atom(sizes.m)}"
            self.w.line(f"long low = {below} + row, high = {below} + end;")

    def _array(self, name: str, kind: str, size: str) -> None:
        self.w.line(f"{kind} {name}[{size}] __attribute__((aligned(64)));")

    def _run(self, role: Role, local: str, *columns: str) -> None:
        """The kernel at an end of the product, on a block's rows and perhaps some columns. Its
        matrix is the block's in `local`, shifted so that its elements have the numbers that they
        have in the whole."""
        part = self.parts.get(role)
        if part is None:
            return
        between = (self.m.out if role == "end" else self.m.lhs).name
        original = self.product.parts[role].kernel
        given = [local if b.name == between else self.names[b.name] for b in original.buffers]
        given += [*self._range, *columns, *map(str, part.kernel.symbols)]
        call(self.w, f"{part.kernel.name}_rows", given, original.origins)

    # -- loops

    def _shared(self, more: int, *how: str) -> None:
        """The threads share the loop that follows, and as many `more` within it."""
        if self.schedule.threads:
            several = [f"collapse({1 + more})"] * bool(more)
            self.w.line(" ".join(("#pragma omp for", *several, *how)))

    @contextmanager
    def _loops(self, several: bool, header: str) -> Iterator[None]:
        """A loop, within one over the batch where there are `several`."""
        w, origins = self.w, self.m.origins
        if several:
            w.line(f"for (long b = 0; b < {self.sizes.batch}; b++)", origins)
        w.line(f"{'    ' * several}for ({header}) {{", origins)
        with w.indent():
            yield
        w.line("}")
