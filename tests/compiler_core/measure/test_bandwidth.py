"""The bandwidth that bounds times from below."""

import pytest
import torch

from compiler_core.measure import bandwidth

MIB = 2**20
# Bytes a second of one thread, and of the four that wait for one that others have stopped.
ALONE, TOGETHER = 20e9, 1e9


@pytest.fixture
def busy(monkeypatch):
    """A machine of four threads, of which others take some."""
    threads = [4]
    monkeypatch.setattr(torch, "get_num_threads", lambda: threads[0])
    monkeypatch.setattr(torch, "set_num_threads", lambda n: threads.__setitem__(0, n))
    monkeypatch.setattr(
        bandwidth, "measured", lambda nbytes, threads: ALONE if threads == 1 else TOGETHER
    )
    return threads


def test_what_others_take_of_the_machine_raises_no_floor(busy):
    assert bandwidth.floor_us(16 * MIB) == pytest.approx(16 * MIB / (4 * ALONE * 1.5) * 1e6)
    assert busy == [4]


def test_the_roof_is_no_lower_than_what_one_thread_moves(busy):
    assert bandwidth.roof(16 * MIB, "cpu") == ALONE
