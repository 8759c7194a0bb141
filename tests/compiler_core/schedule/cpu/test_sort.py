"""What sorting a row costs by each strategy: which one is cheapest for which rows."""

import pytest

from compiler_core.ir.types import BF16, F32
from compiler_core.schedule.cpu.sort import (
    SELECTED_BLOCK,
    CpuSort,
    collected,
    collection_ns,
    library_ns,
    network_ns,
    radix_ns,
    selection_ns,
)


def costs(length, kept):
    """Nanoseconds of a row by strategy, those for the first `kept` elements included."""
    whole = {
        "network": network_ns(length, 1),
        "radix": radix_ns(length, [F32]),
        "library": library_ns(length, 1),
    }
    if kept == length:
        return whole
    first = {
        "selection": selection_ns(length, kept),
        "collection": collection_ns(length, kept, F32),
    }
    return whole | first


@pytest.mark.parametrize(
    ("length", "kept", "cheapest"),
    [
        (16, 16, "network"),
        (100_000, 100_000, "radix"),
        (100_000, 5, "selection"),
        (1_000_000, 1000, "collection"),
    ],
)
def test_the_cheapest_depends_on_the_row_and_on_what_is_kept(length, kept, cheapest):
    found = costs(length, kept)
    assert min(found, key=found.__getitem__) == cheapest


def test_a_radix_sort_of_sixteen_bits_has_half_the_digits():
    length = 1 << 20
    once = radix_ns(length, [BF16, BF16]) - radix_ns(length, [BF16])
    twice = radix_ns(length, [F32, F32]) - radix_ns(length, [F32])
    assert 1.5 < twice / once < 2


@pytest.mark.parametrize("kept", [1, 63, 500, 1000])
def test_a_collection_has_room_for_what_it_keeps_in_whole_blocks(kept):
    assert collected(kept) > kept + SELECTED_BLOCK
    assert collected(kept) % SELECTED_BLOCK == 0


def test_only_what_a_strategy_has_is_among_its_parameters():
    assert CpuSort("network", False, "").parameters == {"pieces": 1}
    shared = CpuSort("collection", True, "", block=64, words=512).parameters
    assert shared == {"threads": "all", "pieces": 1, "block": 64, "words": 512}
