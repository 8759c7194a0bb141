"""What gcc is told of the processor beside -march=native.

Of a processor that it does not know gcc takes the instructions and tunes for an average of all,
which reads elements at computed places one by one. Where the processor gathers them quickly, it is
told so (docs/decisions/0070-what-gcc-keeps-out-of-vectors.md).
"""

import os
from functools import cache
from pathlib import Path

from compiler_core.processes import run_within
from compiler_core.schedule.figures import processor

# Processors that have leaked data this way gather slowly since that is mended.
_LEAKS = Path("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling")
# As gcc 12 names it, and later ones.
_GATHERS = ("-mtune-ctrl=use_gather", "-mtune-ctrl=use_gather_8parts")
_SECONDS = 2.0


@cache
def tuning_flags(compiler: str) -> tuple[str, ...]:
    """The flags for the compiler at this path; it is asked which it knows."""
    if Path(compiler).name != "gcc" or not gathers_quickly():
        return ()
    return next(((flag,) for flag in _GATHERS if _knows(compiler, flag)), ())


def gathers_quickly() -> bool:
    """Whether one instruction that reads sixteen elements takes less than sixteen that read one: on
    Intel's. AMD's were not measured, and gcc takes none for them."""
    return processor().startswith("GenuineIntel ") and _leaks_nothing()


def _leaks_nothing() -> bool:
    return _LEAKS.exists() and _LEAKS.read_text().strip() == "Not affected"


def _knows(compiler: str, flag: str) -> bool:
    command = [compiler, flag, "-S", "-o", os.devnull, "-x", "c", os.devnull]
    try:
        done = run_within(command, _SECONDS)
    except OSError:
        return False
    return done is not None and done.returncode == 0
