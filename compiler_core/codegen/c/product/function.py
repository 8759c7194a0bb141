"""Matrix products in C: tiles of the result in registers, visited by blocks of rows or by panels of
columns, as the schedule says (schedule/cpu/matmul.py)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from compiler_core.codegen.c.alike import shape_of, united
from compiler_core.codegen.c.names import with_c_names
from compiler_core.codegen.c.product.columns import ByColumns
from compiler_core.codegen.c.product.printer import Product, ProductPrinter
from compiler_core.codegen.c.product.rows import ByRows
from compiler_core.codegen.c.row_functions import row_function
from compiler_core.codegen.writer import Source, Writer
from compiler_core.ir.types import DType
from compiler_core.kernel.by_rows import RowKernel
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.fused_matmul import Role
from compiler_core.plan.plan import Launch
from compiler_core.schedule.cpu.matmul import Order

_PRINTERS: Mapping[Order, type[ProductPrinter]] = {"rows": ByRows, "columns": ByColumns}


def shape(launch: Launch) -> object:
    """A key that is equal for launches whose functions differ only in names; such launches share
    one function."""
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
    _PRINTERS[first.schedule.order](w, first, called, origins).run()
    return w.source(first.step.name, "c")
