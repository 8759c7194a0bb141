"""The vendor's BLAS, as torch has loaded it already: addresses for generated C to call."""

import ctypes
from functools import cache
from pathlib import Path

import torch

from compiler_core.plan.cpu.libraries import BLAS_ROUTINES
from compiler_core.runtime.private import multiplied_by_onednn
from compiler_core.schedule.figures import figures_of, processor
from compiler_core.schedule.processors import Rates, rates_of
from compiler_core.schedule.targets import CpuTarget

ROUTINES = tuple(BLAS_ROUTINES.values())
_LIBRARIES = ("libtorch_cpu.so", "libtorch_cpu.dylib")


@cache
def own_cpu() -> CpuTarget:
    """This machine's CPU, with the libraries that its torch build has."""
    found = {name for name in ROUTINES if address(name) is not None}
    if torch.backends.mkldnn.is_available():
        found.add("onednn")
    figures = figures_of(processor())
    return CpuTarget(
        libraries=frozenset(found), rates=_rates(), figures=figures, waking_us=figures.waking_us
    )


def _rates() -> Rates:
    """By the vendor, and by what torch itself asks before it leaves a product to oneDNN."""
    slow = (dtype for dtype, by_onednn in multiplied_by_onednn().items() if not by_onednn)
    return rates_of(processor().partition(" ")[0]).without(slow)


@cache
def address(name: str) -> int | None:
    """The address of Fortran's `sgemm` or `dgemm` in torch's own library; None if torch was built
    without an exported one."""
    folder = Path(torch.__file__).parent / "lib"
    for library in _LIBRARIES:
        if (folder / library).exists():
            try:
                function = getattr(ctypes.CDLL(str(folder / library)), f"{name}_")
            except (OSError, AttributeError):
                continue
            return ctypes.cast(function, ctypes.c_void_p).value
    return None
