"""The vendor's BLAS, as torch has loaded it already: addresses for generated C to call."""

import ctypes
from functools import cache
from pathlib import Path

import torch

_LIBRARIES = ("libtorch_cpu.so", "libtorch_cpu.dylib")


@cache
def address(name: str) -> int | None:
    """The address of Fortran's `sgemm` or `dgemm` in torch's own library; None where torch was
    built without one that it shows."""
    folder = Path(torch.__file__).parent / "lib"
    for library in _LIBRARIES:
        if (folder / library).exists():
            try:
                function = getattr(ctypes.CDLL(str(folder / library)), f"{name}_")
            except (OSError, AttributeError):
                continue
            return ctypes.cast(function, ctypes.c_void_p).value
    return None
