"""NVIDIA's driver, as far as compiled kernels need it: kernels are loaded with the machine code
that is shown, and launched in order by one call of C (launches.c).

Triton's own launcher takes 20 us for each kernel, since it looks up anew at each launch which
compilation of a function fits the arguments.
"""

import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch

from compiler_core.codegen.triton.offline import Compiled
from compiler_core.errors import ToolchainError
from compiler_core.runtime import gcc
from compiler_core.runtime.private import stream_now

_LIBRARY = "libcuda.so.1"
_LAUNCHES = Path(__file__).with_name("launches.c").read_text()
# The shared memory that a kernel may use without an attribute (CUDA C++ Programming Guide, "Shared
# Memory"), and the attribute that asks for more: cuda.h.
_UNASKED = 48 * 1024
_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
# A kernel's parameters in PTX; those after the arguments are Triton's, addresses of memory that
# none of our kernels uses.
_PARAMETER = re.compile(r"_param_(\d+)")


@dataclass(frozen=True)
class Function:
    """A loaded kernel. `parameters` is the number of parameters that the driver is given; `module`
    keeps the code loaded."""

    name: str
    handle: int
    threads: int
    shared_bytes: int
    parameters: int


@dataclass(frozen=True)
class Queued:
    """A launch to be queued: its arguments are buffers, by name, followed by the sizes of the
    call."""

    function: Function
    grid: tuple[int, ...]
    arguments: Sequence[str]
    sizes: Sequence[int]


class Addresses:
    """The addresses of buffers, in a table that launches point into."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._table = (ctypes.c_uint64 * max(1, len(names)))()

    def write(self, name: str, tensor: torch.Tensor) -> None:
        self._table[self._places[name]] = tensor.data_ptr()

    def of(self, name: str) -> int:
        """The place in the table that holds the address of a buffer."""
        return ctypes.addressof(self._table) + 8 * self._places[name]


class _Kernel(ctypes.Structure):
    _fields_ = (
        ("function", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("threads", ctypes.c_uint),
        ("shared_bytes", ctypes.c_uint),
        ("arguments", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class InOrder:
    """Launches that follow each other, ready to be queued on a stream. `kept` is what the driver
    reads at each of them."""

    names: Sequence[str]
    kernels: Any = field(repr=False)
    kept: Any = field(repr=False)

    def __call__(self, memory: object = None) -> None:
        """Queues them on the current stream. Raises ToolchainError where the driver refuses."""
        error = _launcher()(self.kernels, len(self.names), stream_now(), _launch_address())
        if error:
            names = " or ".join(dict.fromkeys(self.names))
            raise ToolchainError(f"the GPU refused to run {names}: {_described(error)}")


def in_order(queued: Sequence[Queued], addresses: Addresses) -> InOrder:
    """The launches, with their arguments taken from a table of addresses."""
    given = [_arguments(each, addresses) for each in queued]
    kernels = (_Kernel * len(queued))()
    for kernel, each, (pointers, _) in zip(kernels, queued, given, strict=True):
        f, grid = each.function, (*each.grid, 1, 1)[:3]
        kernel.function, kernel.grid = f.handle, (ctypes.c_uint * 3)(*grid)
        kernel.threads, kernel.shared_bytes = f.threads, f.shared_bytes
        kernel.arguments = ctypes.addressof(pointers)
    return InOrder([each.function.name for each in queued], kernels, (given, addresses))


def _arguments(each: Queued, addresses: Addresses) -> tuple[Any, Any]:
    """Pointers to the arguments of a launch, and the sizes and nothings that some point to. A size
    of 32 bits is the lower half of one of 64."""
    given = [addresses.of(name) for name in each.arguments]
    own = (ctypes.c_int64 * max(1, each.function.parameters))(*each.sizes)
    rest = range(each.function.parameters - len(given))
    pointers = [*given, *(ctypes.addressof(own) + 8 * place for place in rest)]
    return (ctypes.c_void_p * max(1, len(pointers)))(*pointers), own


def load(compiled: Compiled) -> Function:
    """Loads a kernel's machine code into this process's GPU. Raises ToolchainError."""
    kernel = compiled.kernel
    torch.cuda.synchronize()  # the driver's functions are of the context that torch has made
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    _done(_driver().cuModuleLoadData(ctypes.byref(module), kernel.binary), compiled.name)
    symbol = kernel.symbol.encode()
    _done(_driver().cuModuleGetFunction(ctypes.byref(function), module, symbol), compiled.name)
    if kernel.shared_bytes > _UNASKED:
        attribute = (_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel.shared_bytes)
        _done(_driver().cuFuncSetAttribute(function, *attribute), compiled.name)
    threads = compiled.target.warp_size * kernel.num_warps
    assert function.value is not None
    return Function(
        compiled.name, function.value, threads, kernel.shared_bytes, _parameters(compiled)
    )


def _parameters(compiled: Compiled) -> int:
    head = compiled.assembly.text.partition(".entry")[2].partition("{")[0]
    return len({int(found) for found in _PARAMETER.findall(head)})


def warm_up() -> None:
    """Compiles the launcher of kernels, for this process and those forked from it; touches no GPU.
    Raises ToolchainError without a C compiler."""
    _launcher()


@cache
def _launcher() -> Any:
    function = gcc.load(_LAUNCHES, "launches").handle.launch_in_order
    function.argtypes = (ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    return function


@cache
def _driver() -> ctypes.CDLL:
    try:
        return ctypes.CDLL(_LIBRARY)
    except OSError as error:
        text = f"NVIDIA's driver cannot be loaded: {error}"
        raise ToolchainError(text, remedy="install the driver, or choose the device cpu") from None


@cache
def _launch_address() -> int | None:
    return ctypes.cast(_driver().cuLaunchKernel, ctypes.c_void_p).value


def _done(error: int, name: str) -> None:
    if error:
        raise ToolchainError(f"the GPU does not take {name}: {_described(error)}")


def _described(error: int) -> str:
    text = ctypes.c_char_p()
    _driver().cuGetErrorString(error, ctypes.byref(text))
    return text.value.decode() if text.value else f"error {error} of the driver"
