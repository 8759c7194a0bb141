"""What a kernel reads of pieces put together."""

from compiler_core.ir.build import Builder
from compiler_core.kernel.kernel import Load
from tests.compiler_core.codegen.c.graphs import kernels_of, tensor_type


def test_what_reads_one_of_two_columns_reads_it_without_a_mask():
    b = Builder()
    x, y = (b.parameter(tensor_type((40, 1))) for _ in range(2))
    both = b.node("concatenate", x, y, dimension=1)
    first, second = (
        b.node("slice", both, start=(0, at), limit=(40, at + 1), strides=(1, 1)) for at in (0, 1)
    )
    (kernel,) = kernels_of(b.graph("f", [b.node("add", first, second)]))
    loads = [d for d in kernel.defs if isinstance(d, Load)]
    assert [(d.buffer, d.mask) for d in loads] == [("in0", None), ("in1", None)]
    assert len(kernel.defs) == 3
