"""What a sum was made of."""

from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.measure.cancellation import terms_of


def test_a_launch_that_moves_what_another_has_summed_sums_nothing():
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 8)), "x")
    total = b.reduce(x, "add", (0,))
    moved = b.reshape(total, (8, 1))
    terms = terms_of(moved, (x,))
    assert terms is not None and terms.type == moved.type
    assert terms_of(moved, (total,)) is None and terms_of(total, (total,)) is None
