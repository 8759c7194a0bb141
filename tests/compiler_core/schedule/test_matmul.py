"""Which operands of a matmul are read in place."""

import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.passes import dots
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.fused_matmul import FusedMatmul
from compiler_core.plan.steps import KernelStep, Matmul
from compiler_core.rewrite.engine import rewrite
from tests.compiler_core.plans import ON_CPU


def steps(b, output):
    graph, _ = rewrite(b.graph("f", [output]), dots.RULES)
    return build_plan(fuse(values_of(graph)), ON_CPU).steps


def two(shape_a, shape_b):
    b = Builder()
    return b, b.parameter(TensorType(F32, shape_a)), b.parameter(TensorType(F32, shape_b))


@pytest.mark.parametrize(
    ("contract", "transposed"),
    [
        (((1,), (0,)), (False, False)),
        (((0,), (0,)), (True, False)),
        (((1,), (1,)), (False, True)),
        (((0,), (1,)), (True, True)),
    ],
)
def test_every_orientation_of_dense_memory_is_read_in_place(contract, transposed):
    shapes = [
        (32, 48) if t == s else (48, 32) for t, s in zip(transposed, (True, False), strict=True)
    ]
    b, x, y = two(*shapes)
    (step,) = steps(b, b.dot_general(x, y, contract=contract))
    assert isinstance(step, Matmul)
    assert (step.transpose_lhs, step.transpose_rhs) == transposed
    assert step.k == x.type.shape[contract[0][0]]


def test_a_transposed_weight_is_not_copied():
    b, x, w = two((8, 32), (64, 32))
    (step,) = steps(b, b.dot_general(x, b.transpose(w, (1, 0)), contract=((1,), (0,))))
    assert isinstance(step, Matmul) and step.transpose_rhs


def test_heads_split_off_the_last_dimension_are_copied():
    b, q, k = two((2, 16, 4, 8), (2, 16, 4, 8))
    heads = b.transpose(q, (0, 2, 1, 3))
    dot = b.dot_general(heads, k, batch=((0, 1), (0, 2)), contract=((3,), (3,)))
    kinds = [type(s) for s in steps(b, dot)]
    assert kinds == [KernelStep, FusedMatmul]


def test_one_matrix_for_every_batch_is_not_repeated_in_memory():
    b, x, w = two((4, 8, 16), (16, 8))
    wide = b.broadcast_in_dim(w, (4, 16, 8), (1, 2))
    (step,) = steps(b, b.dot_general(x, wide, batch=((0,), (0,)), contract=((2,), (1,))))
    assert isinstance(step, Matmul) and not step.rhs_batched and step.batch == 4


def test_a_batch_of_rows_is_one_tall_matrix():
    b, x, w = two((4, 8, 16), (16, 32))
    (step,) = steps(b, b.dot_general(x, w, contract=((2,), (0,))))
    assert isinstance(step, Matmul) and (step.batch, step.m) == (1, 32)


def test_a_part_of_a_larger_buffer_is_copied():
    b, x, y = two((4, 3), (2, 2))
    first = b.node("slice", x, start=(0, 0), limit=(4, 3), strides=(2, 1))
    kinds = [type(s) for s in steps(b, b.dot_general(first, y, contract=((0,), (0,))))]
    assert kinds == [KernelStep, Matmul]


def test_rows_of_several_dimensions_are_read_in_place():
    b, x, y = two((4, 16, 32), (32, 8))
    (step,) = steps(b, b.dot_general(b.reshape(x, (64, 32)), y, contract=((1,), (0,))))
    assert isinstance(step, Matmul) and step.lhs.type.shape == (4, 16, 32)
