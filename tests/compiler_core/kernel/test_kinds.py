"""Whether a kernel goes by rows or by columns."""

from compiler_core.ir.build import Builder
from tests.compiler_core.codegen.c.graphs import kernels_of, tensor_type


def test_a_weight_of_each_row_does_not_make_a_sum_of_columns_go_by_rows():
    b = Builder()
    x, weights = b.parameter(tensor_type((64, 256, 128))), b.parameter(tensor_type((64, 256)))
    weighted = b.node("multiply", x, b.broadcast_in_dim(weights, (64, 256, 128), (0, 1)))
    total = b.node("reduce", weighted, monoid="add", dimensions=(1,))
    (kernel,) = kernels_of(b.graph("pooled", [total]))
    assert kernel.kind == "column"
