"""Searches in sorted sequences."""

import pytest

from compiler_core.capture.torch.searching import steps


@pytest.mark.parametrize("length", range(40))
def test_a_search_finds_every_place_and_stays_within_the_sequence(length):
    for place in range(length + 1):
        count = 0
        for taken, gained in steps(length):
            assert count + taken <= length
            count += gained if count + taken - 1 < place else 0
        assert count == place
