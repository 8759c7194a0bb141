"""What a sort of rows costs on a GPU by each strategy, and how its programs are laid out."""

import pytest

from compiler_core.schedule.gpu.sort import (
    BITONIC_TILE,
    COUNTING_BLOCK,
    MERGED,
    bitonic,
    bitonic_us,
    blocks,
    counting,
    counting_us,
    merge,
    selection,
    selection_us,
    ways,
)
from compiler_core.schedule.targets import TARGETS

TARGET = TARGETS["sm_90"]


@pytest.mark.parametrize(("length", "cheapest"), [(8, "counting"), (2048, "bitonic")])
def test_a_short_row_is_counted_and_a_longer_one_sorted(length: int, cheapest: str) -> None:
    size = (1000, length)
    costs = {"counting": counting_us(size, 1, TARGET), "bitonic": bitonic_us(size, 1, TARGET)}
    assert min(costs, key=costs.__getitem__) == cheapest


def test_keeping_few_of_a_long_row_is_cheaper_than_keeping_many() -> None:
    few, many = (selection_us((100, 1 << 20), kept, TARGET) for kept in (5, 500))
    assert few < many


@pytest.mark.parametrize("length", [2, 5, 100, 4096])
def test_short_rows_are_sorted_several_at_a_time(length: int) -> None:
    schedule = bitonic(300, length)
    rows, width = schedule.blocks["ROWS"], schedule.blocks["BLOCK"]
    assert width >= length and width & (width - 1) == 0
    assert rows == max(1, BITONIC_TILE // width) or rows == 512
    assert schedule.programs == -(-300 // rows)


def test_each_element_or_word_has_a_program_that_places_it() -> None:
    assert counting(3, 100, 32).programs == -(-300 // COUNTING_BLOCK)
    assert merge(1000, 4).programs == -(-1000 // MERGED)
    assert blocks(3, 7, 1024).programs == 21
    assert selection(3, 100_000, 5).programs == 3


def test_wide_keys_are_compared_fewer_at_a_time() -> None:
    chunks = [counting(3, 1000, bits).blocks["CHUNK"] for bits in (16, 64, 512, 4096)]
    assert chunks == sorted(chunks, reverse=True) and chunks[-1] == 1


def test_more_runs_are_merged_at_once_where_few_elements_are_kept() -> None:
    assert ways(5) > ways(5000)
