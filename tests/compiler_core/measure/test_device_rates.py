"""What a GPU does at most is measured by its events: here those of a stand-in, on the CPU."""

import time

import pytest
import torch

from compiler_core.ir.build import Builder
from compiler_core.ir.types import BF16, F32, TensorType
from compiler_core.measure import bandwidth, device_rates, peak, runnable
from compiler_core.measure.floor import floor, roof

MIB = 2**20


class Event:
    def record(self):
        self.at = time.perf_counter()

    def elapsed_time(self, end):
        return (end.at - self.at) * 1e3


@pytest.fixture
def events(monkeypatch):
    monkeypatch.setattr(runnable, "timing_event", Event)
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda: None)


@pytest.fixture
def gpu(monkeypatch):
    """One of 10 MiB of cache at 8e12 bytes a second, memory at 4e12, and products at what follows
    of the H200's own."""
    rates = {"f32": 51e12, "tf32": 416e12, "bf16": 807e12, "f64": 58e12}
    monkeypatch.setattr(device_rates, "cache_bytes", lambda device: 10 * MIB)
    monkeypatch.setattr(device_rates, "from_memory", lambda device: 4e12)
    monkeypatch.setattr(device_rates, "from_cache", lambda device: 8e12)
    monkeypatch.setattr(device_rates, "multiplying", lambda dtype, device: rates[dtype])


def test_a_copy_is_timed_by_events(events):
    assert 1e8 < device_rates.copying(4 * MIB, "cpu") < 1e13


@pytest.mark.parametrize("dtype", ["f32", "tf32", "bf16"])
def test_a_product_is_timed_by_events_and_settings_are_left_as_they_were(
    events, monkeypatch, dtype
):
    monkeypatch.setattr(device_rates, "_SIZE", 64)
    before = torch.backends.cuda.matmul.fp32_precision
    assert 1e6 < device_rates.multiplying.__wrapped__(dtype, "cpu") < 1e14
    assert torch.backends.cuda.matmul.fp32_precision == before


def test_what_is_smaller_than_the_cache_may_come_from_it_and_the_rest_does_not(gpu):
    small, large = (bandwidth.floor_us(n, "cuda") for n in (8 * MIB, 1000 * MIB))
    assert small == pytest.approx(8 * MIB / 8e12 / 1.5 * 1e6)
    assert large == pytest.approx(990 * MIB / 4e12 / 1.5 * 1e6)


@pytest.mark.parametrize(("dtype", "rate"), [(F32, 416e12), (BF16, 807e12)])
def test_products_need_what_the_fastest_of_their_types_takes(gpu, dtype, rate):
    found = floor([product(dtype)], "cuda")
    assert found.us == pytest.approx(2 * 4096**3 / rate / 2 * 1e6)
    assert "matrix products" in found.by


def test_the_roof_of_a_kernel_is_memory_unless_the_cache_holds_the_program(gpu):
    assert roof([product(F32)], "cuda").bandwidth == 4e12
    assert roof([product(F32, 512)], "cuda").bandwidth == 8e12
    assert roof([product(F32)], "cuda").flops == 51e12


def test_a_type_that_is_not_measured_has_no_floor(gpu):
    assert peak.floor_us(10**12, "f8e4m3fn", "cuda") == 0.0


def product(dtype, size=4096):
    b = Builder()
    x, y = (b.parameter(TensorType(dtype, (size, size))) for _ in range(2))
    return b.graph("f", [b.dot_general(x, y, contract=((1,), (0,)))])
