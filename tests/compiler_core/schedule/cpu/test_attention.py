"""Tiles of attention, on a CPU by the sizes of the call."""

from dataclasses import replace
from functools import cache

import pytest

from compiler_core.schedule.cpu.attention import by_rows, choose_cpu_attention, visited
from tests.compiler_core.attentions import CAUSAL, heads, torch_attention
from tests.compiler_core.codegen.c.graphs import plan_of


@cache
def causal():
    (launch,) = plan_of(torch_attention(CAUSAL, *heads(128, 128, 16))).launches
    return launch.step.whole


def attention(rows, keys, reach=None, **sizes):
    return replace(causal(), rows=rows, keys=keys, reach=reach, **sizes)


@pytest.mark.parametrize(
    ("rows", "keys", "tile"),
    [(10, 10, (16, 16)), (20, 100, (32, 64)), (1000, 1000, (64, 64)), (64, 1, (64, 8))],
)
def test_a_tile_on_a_cpu_is_no_larger_than_needed(rows, keys, tile):
    found = choose_cpu_attention(attention(rows, keys), threads=True)
    assert (found.rows, found.keys) == tile


def test_few_rows_are_computed_one_at_a_time():
    assert by_rows(attention(16, 1000)) is None
    few = by_rows(attention(15, 1000))
    assert few is not None and few.rows == 1


def test_tiles_that_the_mask_hides_are_not_visited():
    assert causal().reach == 0
    assert visited(attention(128, 128), 64, 64) == 128 * 128
    assert visited(attention(128, 128, reach=0), 64, 64) == 3 * 64 * 64
    assert visited(attention(128, 128, reach=-128), 64, 64) == 2 * 64 * 64
