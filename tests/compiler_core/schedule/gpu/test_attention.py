"""Tiles of attention, on a GPU by the sizes of the call."""

from dataclasses import replace
from functools import cache

import pytest

from compiler_core.ir.types import BF16, F32
from compiler_core.schedule.gpu.attention import choose_gpu_attention, fits_gpu
from tests.compiler_core.attentions import CAUSAL, heads, torch_attention
from tests.compiler_core.codegen.c.graphs import plan_of


@cache
def causal():
    (launch,) = plan_of(torch_attention(CAUSAL, *heads(128, 128, 16))).launches
    return launch.step.whole


def attention(rows, keys, reach=None, **sizes):
    return replace(causal(), rows=rows, keys=keys, reach=reach, **sizes)


@pytest.mark.parametrize("dtype", [F32, BF16])
@pytest.mark.parametrize("rows", [1, 17, 4096])
@pytest.mark.parametrize("depth", [3, 64, 100])
def test_blocks_on_a_gpu_are_powers_of_two_that_tl_dot_takes(dtype, rows, depth):
    found = choose_gpu_attention(attention(rows, 77, dtype=dtype, depth=depth, width=depth))
    assert all(n >= 16 and n & (n - 1) == 0 for n in found.blocks.values())
    assert found.block_depth >= depth and found.block_width >= depth
    assert found.grid[0] == -(-rows // found.block_rows) * 6


def test_long_keys_fit_on_a_gpu_in_sixteen_bits_alone():
    assert fits_gpu(attention(64, 64, dtype=BF16, depth=256))
    assert not fits_gpu(attention(64, 64, dtype=F32, depth=256))
