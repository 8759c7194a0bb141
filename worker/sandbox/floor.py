"""The least time that a program's own figures leave it, whatever its process says of it."""

import re

from compiler_core.report import Measurement, Timing

# No core of any CPU does more in a cycle, at a clock that none exceeds: two loads and a store of 64
# bytes; the products of matrix units.
_CYCLES = 6e9
_MOST = {"MiB to be moved": 192 * _CYCLES / 2**20, "GFLOP of matrix products": 4096 * _CYCLES / 1e9}
_SAID = re.compile(rf"(\d+(?:\.\d+)?(?:e[+-]\d\d)?) ({'|'.join(_MOST)})", re.ASCII)
# Figures are said in three digits.
_ROUNDED = 0.99
_LONGEST = 40


def least_us(said: Measurement, device: str, cores: int) -> float:
    """The floor in microseconds: what it says, or what the bytes or operations that it says take at
    least on so many cores of a CPU."""
    found = _SAID.fullmatch(said.floor_by[:_LONGEST])
    if found is None or device != "cpu":
        return said.floor_us
    return max(said.floor_us, _ROUNDED * float(found[1]) / (_MOST[found[2]] * cores) * 1e6)


def is_below(timing: Timing, floor_us: float) -> bool:
    """Whether it is shown as one to compare with others, and takes less than is possible."""
    return timing.speedup is not None and timing.median_us < floor_us
