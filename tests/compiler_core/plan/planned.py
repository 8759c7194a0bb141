"""Plans of small graphs of one operation, for tests of what is chosen for it."""

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import build_plan, values_of


def planned(graph, choose):
    return build_plan(fuse(values_of(graph)), choose)


def product(m, k, n, dtype=F32, contract=((1,), (0,))):
    b = Builder()
    left = (m, k) if contract[0] == (1,) else (k, m)
    shapes = left, (k, n) if contract[1] == (0,) else (n, k)
    x, y = (b.parameter(TensorType(dtype, shape)) for shape in shapes)
    return b.graph("product", [b.dot_general(x, y, contract=contract)])


def launched(graph, choose):
    (launch,) = planned(graph, choose).launches
    return launch
