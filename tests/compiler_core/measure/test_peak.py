"""The rate of products that bounds their times from below."""

import pytest
import torch

from compiler_core.measure import peak


@pytest.fixture
def busy(monkeypatch):
    """A machine of four threads, of which others take two: together they wait for the slowest."""
    monkeypatch.setattr(torch, "get_num_threads", lambda: len(threads))
    monkeypatch.setattr(torch, "set_num_threads", lambda n: threads.__init__(range(n)))
    monkeypatch.setattr(peak, "_rate", lambda size, dtype: 100e9 if len(threads) == 1 else 20e9)
    threads = list(range(4))
    peak.alone.cache_clear()
    yield
    peak.alone.cache_clear()


def test_what_others_take_of_the_machine_lowers_no_bound(busy):
    assert peak.floor_us(10**9, "f32") == pytest.approx(1e9 / (4 * 100e9 * 2.5) * 1e6)
    assert torch.get_num_threads() == 4


def test_vectors_twice_as_wide_as_the_librarys_are_possible():
    peak.alone.cache_clear()
    rate = 1e6 / peak.floor_us(10**9, "f32") * 1e9
    assert rate > 2 * torch.get_num_threads() * peak.alone("f32")
