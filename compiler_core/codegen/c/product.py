"""A matrix product in C, by blocks of rows that stay in cache: tiles of the result are held in
registers, and what is at the product's ends runs on the block's rows.

    #pragma omp for
    for (long j = 0; j < 1024; j += F32_COLUMNS)
        pack_f32(in1 + j, 1024, 1024, 1024 - j, packed + j * 1024);
    #pragma omp for schedule(dynamic)
    for (long row = 0; row < 512; row += 24) {
        long end = row + 24 < 512 ? row + 24 : 512;
        float block[24 * 1024];
        rows_f32(in0 + row * 1024, 1024, packed, ..., block, 1024, end - row, 1024, 1024);
        k2_add_erf_rows(block - row * 1024, in2, out0, row, end);
    }
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from compiler_core.codegen.c.alike import shape_of, united
from compiler_core.codegen.c.names import c_name, with_c_names
from compiler_core.codegen.c.row_functions import row_function
from compiler_core.codegen.c.signature import call, param, signature
from compiler_core.codegen.c.tiles import columns
from compiler_core.codegen.c.types import memory_type, register_type
from compiler_core.codegen.writer import Source, Writer
from compiler_core.ir.sizes import Symbol, atom, is_multiple
from compiler_core.ir.types import BF16, F16, DType
from compiler_core.kernel.by_rows import RowKernel
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.fused_matmul import FusedMatmul, Role
from compiler_core.plan.plan import Launch
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.cpu_matmul import CpuMatmulSchedule


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
        return self.step.matmul

    @property
    def parts(self) -> Mapping[Role, RowKernel]:
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


def shape(launch: Launch) -> object:
    """A key that is equal for launches whose functions differ in names only, which then share
    one."""
    x = Product.of(launch)
    m, numbers = x.matmul, {b.name: f"#{i}" for i, b in enumerate(x.buffers)}
    sides = tuple(numbers.get(b.name, "") for b in (m.lhs, m.rhs, m.out))
    layouts = (m.transpose_lhs, m.transpose_rhs, m.lhs_batched, m.rhs_batched)
    parts = tuple((role, p.rows, shape_of(p.kernel, numbers)) for role, p in x.parts.items())
    given = tuple(x.schedule.parameters.items())
    return m.dtype, x.schedule.shape, sides, layouts, parts, given


def buffers(launch: Launch) -> tuple[BufferParam, ...]:
    """The buffers that the function of a launch is called with, in order."""
    return Product.of(launch).buffers


def symbols_of(launch: Launch) -> tuple[Symbol, ...]:
    """The sizes that the function of a launch is called with."""
    return Product.of(launch).symbols


def dtype(launch: Launch) -> DType:
    """The type of the product's elements."""
    return Product.of(launch).matmul.dtype


def function(alike: Sequence[Launch]) -> Source:
    """The function that launches with equal keys share, after those of the kernels on its rows."""
    products, w = [Product.of(x) for x in alike], Writer()
    first = products[0]
    called: dict[Role, RowKernel] = {}
    for role, part in first.parts.items():
        whole = united([x.parts[role].kernel for x in products])
        kernel, schedule = with_c_names(whole, first.schedule.parts[role])
        called[role] = replace(part, kernel=kernel)
        row_function(w, called[role], schedule)
        w.line()
    origins = sorted({o for x in products for o in x.step.origins})
    _Printer(w, first, called, origins).run()
    return w.source(first.step.name, "c")


class _Printer:
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
            if schedule.packed and not self.product.step.scratch:
                self._array("packed", self.register, str(sizes.packed_elements))
            if schedule.threads:
                w.lines("#pragma omp parallel num_threads(threads)", "{")
                with w.indent():
                    self._body()
                w.line("}")
            else:
                self._body()
        w.line("}")

    def _body(self) -> None:
        if self.schedule.packed:
            self._pack()
        self._blocks()

    # -- the right operand

    def _pack(self) -> None:
        m, sizes = self.m, self.sizes
        many = self.several and m.rhs_batched
        self._shared(many)
        with self._loops(many, f"long j = 0; j < {sizes.n}; j += {self.columns}"):
            step, suffix = (f" * {sizes.k}", "_t") if m.transpose_rhs else ("", "")
            apart = sizes.k if m.transpose_rhs else sizes.n
            at, to = f"{self._operand('rhs')} + j{step}", f"{self._panels()} + j * {sizes.k}"
            given = [at, str(apart), str(sizes.k), f"{sizes.n} - j", to]
            call(self.w, f"pack_{m.dtype}{suffix}", given, m.origins)

    def _operand(self, role: Role) -> str:
        """Where an operand of the present product of the batch begins."""
        m, sizes = self.m, self.sizes
        left = role == "lhs"
        name = self.names[(m.lhs if left else m.rhs).name]
        if not self.several or not (m.lhs_batched if left else m.rhs_batched):
            return name
        return f"{name} + b * {atom((sizes.m if left else sizes.n) * sizes.k)}"

    def _panels(self) -> str:
        """Where its panels begin."""
        many = self.several and self.m.rhs_batched
        return f"packed{f' + b * {self.sizes.k * self.sizes.padded}' if many else ''}"

    def _right(self) -> tuple[str, str, str]:
        """Where its columns begin, the distance of panels, and that of a panel's rows."""
        if self.schedule.packed:
            return self._panels(), str(self.sizes.k), self.columns
        return self._operand("rhs"), "1", str(self.sizes.n)

    # -- blocks of rows

    def _blocks(self) -> None:
        m, sizes, rows = self.m, self.sizes, self.schedule.rows
        self._shared(self.several, "schedule(dynamic)")
        with self._loops(self.several, f"long row = 0; row < {sizes.m}; row += {rows}"):
            end = f"row + {rows}"
            if not is_multiple(sizes.m, rows):
                end = f"{end} < {sizes.m} ? {end} : {sizes.m}"
            self.w.line(f"long end = {end};")
            if self.several:
                below = f"b * {atom(sizes.m)}"
                self.w.line(f"long low = {below} + row, high = {below} + end;")
            left, out = self._left(), self._out()
            given = [left, str(sizes.k), *self._right(), out, str(sizes.n), "end - row"]
            call(self.w, f"rows_{m.dtype}", [*given, str(sizes.k), str(sizes.n)], m.origins)
            self._run("end", "block", sizes.n)

    @property
    def _range(self) -> tuple[str, str]:
        """The block's rows among those of the whole batch."""
        return ("low", "high") if self.several else ("row", "end")

    def _left(self) -> str:
        """The block's rows of the left operand, in registers' type and stored by rows."""
        m, k = self.m, self.sizes.k
        if "lhs" in self.parts:
            self._rows("left", self.kind, k)
            self._run("lhs", "left", k)
            at = "left"
        elif m.transpose_lhs:
            self._rows("upcast", self.register, k)
            given = [f"{self._operand('lhs')} + row", str(self.sizes.m), "upcast", str(k), str(k)]
            call(self.w, f"turn_{m.dtype}", [*given, "end - row"], m.origins)
            return "upcast"
        else:
            at = f"{self._operand('lhs')} + row * {k}"
        if m.dtype not in (F16, BF16):
            return at
        self._rows("upcast", self.register, k)
        call(self.w, f"left_{m.dtype}", [at, f"(end - row) * {k}", "upcast"], m.origins)
        return "upcast"

    def _out(self) -> str:
        n = self.sizes.n
        if "end" not in self.parts:
            return f"{self.names[self.m.out.name]} + {self._range[0]} * {n}"
        self._rows("block", self.kind, n)
        return "block"

    def _rows(self, name: str, kind: str, width: int) -> None:
        self._array(name, kind, f"{self.schedule.rows} * {width}")

    def _array(self, name: str, kind: str, size: str) -> None:
        self.w.line(f"{kind} {name}[{size}] __attribute__((aligned(64)));")

    def _run(self, role: Role, local: str, width: int) -> None:
        """The kernel at an end of the product. Its matrix is the block's, shifted so that rows have
        the numbers that they have in the whole."""
        part = self.parts.get(role)
        if part is None:
            return
        between = (self.m.out if role == "end" else self.m.lhs).name
        original = self.product.parts[role].kernel
        low, high = self._range
        shifted = f"{local} - {low} * {width}"
        given = [shifted if b.name == between else self.names[b.name] for b in original.buffers]
        given += [low, high, *map(str, part.kernel.symbols)]
        call(self.w, f"{part.kernel.name}_rows", given, original.origins)

    # -- loops

    def _shared(self, several: bool, *how: str) -> None:
        """The threads share the loop that follows, or it and the one in it."""
        if self.schedule.threads:
            self.w.line(" ".join(("#pragma omp for", *["collapse(2)"] * several, *how)))

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
