"""Which way a matrix product is computed on a GPU, and why."""

import pytest

from compiler_core.ir.types import BF16, BOOL, F16, F64, I32, I64
from compiler_core.schedule.gpu import schedule as gpu_schedule
from compiler_core.schedule.targets import resolve
from tests.compiler_core.plan.planned import launched, planned, product
from tests.compiler_core.plans import ON_GPU

H100 = resolve("sm_90")


@pytest.mark.parametrize(
    ("graph", "strategy"),
    [
        (product(32, 64, 32), "matmul"),
        (product(1, 4096, 4096), "reduction"),
        (product(64, 16384, 64, BF16), "split k"),
        (product(16, 4096, 4096, BF16), "matmul"),
        (product(512, 512, 512, BF16), "matmul"),
        (product(4096, 64, 4096, BF16), "matmul"),
        (product(2048, 2048, 2048), "vendor"),
        (product(2048, 2048, 2048, F16), "vendor"),
        (product(64, 64, 64, F64), "vendor"),
    ],
)
def test_a_gpu_generates_products_that_memory_or_their_programs_bound(graph, strategy):
    launch = planned(graph, ON_GPU).launches[0]
    assert launch.schedule.strategy == strategy
    assert {"matmul", "vendor"} <= {x.strategy for x in launch.candidates}


def test_a_product_says_why_it_is_the_vendors():
    large, double = (launched(product(2048, 2048, 2048, t), ON_GPU) for t in (F16, F64))
    why = "its tiles reach 70% of the peak, generated ones 50%"
    assert why in large.schedule.reason
    assert "no generated product of f64" in double.schedule.reason


@pytest.mark.parametrize("dtype", [I32, I64, BOOL])
def test_a_gpu_sums_products_of_integers_itself_for_torch_has_none_there(dtype):
    launch = launched(product(48, 64, 40, dtype), ON_GPU)
    assert launch.step.library is None and launch.schedule.strategy != "vendor"
    assert {c.strategy for c in launch.candidates} == {"matmul", gpu_schedule.REDUCTION}


def test_smaller_tiles_are_taken_where_large_ones_would_leave_processors_idle():
    few, many = (launched(product(n, 128, n, BF16), ON_GPU).schedule for n in (256, 2000))
    assert few.block_m * few.block_n < many.block_m * many.block_n
    assert few.grid[0] <= H100.processors
