"""Tiles of a generated matrix product on each GPU."""

import pytest

from compiler_core.ir.types import BF16, F32
from compiler_core.schedule.gpu.matmul import choose_gpu_matmul, tiles
from compiler_core.schedule.gpu.tiles import Extents
from compiler_core.schedule.targets import TARGETS

WHOLE = 128 * 128


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_the_operands_of_two_programs_fit_in_shared_memory(target, dtype):
    for tile in tiles(Extents(1, 4096, 4096, 4096), dtype, target, WHOLE):
        step = (tile.m + tile.n) * tile.k * dtype.bytes
        assert tile.stages == 2 or 2 * tile.stages * step <= target.shared_bytes
        assert tile.m * tile.n <= (WHOLE if dtype is BF16 else 64 * 128)


def test_no_tile_is_much_larger_than_the_matrix():
    for tile in tiles(Extents(1, 20, 100, 7), F32, TARGETS["sm_90"], WHOLE):
        assert (tile.m <= 32, tile.n <= 128, tile.k == 16) == (True, True, True)


@pytest.mark.parametrize("most", [WHOLE, 32 * 32])
def test_the_choice_is_among_the_tiles_and_covers_the_result(most):
    sizes, target = (3, 1000, 500, 256), TARGETS["sm_80"]
    found = choose_gpu_matmul(BF16, sizes, target, most)
    assert found.tile in set(tiles(Extents(*sizes), BF16, target, most))
    assert found.grid[0] == -(-1000 // found.block_m) * -(-500 // found.block_n) * 3


def test_a_few_rows_have_low_tiles():
    assert choose_gpu_matmul(BF16, (1, 4, 4096, 4096), TARGETS["sm_90"]).block_m == 16
