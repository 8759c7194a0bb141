"""Kernels are launched in order, with their own arguments: by the C that launches them on a GPU, in
front of a driver that runs them here."""

import ctypes

import pytest
import torch

from compiler_core.errors import ToolchainError
from compiler_core.runtime import cuda, gcc
from compiler_core.runtime.cuda import Addresses, Function, Queued, in_order

pytestmark = pytest.mark.cpu

# A driver's launch whose "functions" add a size to a buffer, or multiply one by it, and which
# refuses a grid of 7.
_DRIVER = """
static long streams;
int launch(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned one,
           unsigned two, unsigned shared, void *stream, void **arguments, void **extra)
{
    if (x == 7 || one != 1 || two != 1 || extra)
        return 700;
    streams += (long)stream;
    float *from = *(float **)arguments[0], *to = *(float **)arguments[1];
    int size = *(int *)arguments[2];
    for (unsigned i = 0; i < x; i++)
        to[i] = (long)function == 1 ? from[i] + size : from[i] * size;
    return 0;
}
long seen(void) { return streams; }
"""
_ADD, _MULTIPLY = (Function(name, at, 32, 0, 5) for name, at in (("add", 1), ("multiply", 2)))


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> ctypes.CDLL:
    handle = gcc.load(_DRIVER, "driver").handle
    address = ctypes.cast(handle.launch, ctypes.c_void_p).value
    monkeypatch.setattr(cuda, "_launch_address", lambda: address)
    monkeypatch.setattr(cuda, "_described", lambda error: f"error {error}")
    monkeypatch.setattr(cuda, "stream_now", lambda: 5)
    return handle


def test_each_has_its_arguments_and_sizes_in_order_on_the_current_stream(
    driver: ctypes.CDLL,
) -> None:
    addresses = Addresses(["x", "between", "y"])
    both = in_order(
        [
            Queued(_ADD, (4,), ("x", "between"), (3,)),
            Queued(_MULTIPLY, (4,), ("between", "y"), (2,)),
        ],
        addresses,
    )
    for start in (1.0, 10.0):  # every call has memory of its own
        memory = {"x": torch.full((4,), start), "between": torch.zeros(4), "y": torch.zeros(4)}
        for name, tensor in memory.items():
            addresses.write(name, tensor)
        both()
        assert memory["y"].tolist() == [(start + 3) * 2] * 4
    assert driver.seen() == 4 * 5


def test_what_the_driver_refuses_is_one_sentence(driver: ctypes.CDLL) -> None:
    addresses = Addresses(["x", "y"])
    refused = in_order([Queued(_ADD, (7, 1), ("x", "y"), (3,))], addresses)
    with pytest.raises(ToolchainError, match="the GPU refused to run add: error 700"):
        refused()


def test_parameters_that_no_argument_fills_point_to_nothing(driver: ctypes.CDLL) -> None:
    addresses = Addresses(["x", "y"])
    launches = in_order([Queued(_ADD, (1,), ("x", "y"), (3,))], addresses)
    pointers, own = launches.kept[0][0]
    assert len(pointers) == 5
    assert [own[i] for i in range(5)] == [3, 0, 0, 0, 0]
    assert pointers[3] == ctypes.addressof(own) + 8
