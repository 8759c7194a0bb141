"""What gcc is told about the processor besides -march=native.

For a processor that it does not know, gcc uses the instructions and tunes for an average processor,
for which it reads elements at computed places one by one. Where the processor gathers them quickly,
gcc is told so (docs/decisions/0070-what-gcc-keeps-out-of-vectors.md).

Passes that turn selects into branches are switched off: they save one evaluation of a condition,
and a loop with a branch is not vectorised (docs/decisions/0072-selects-stay-selects.md).
"""

import os
from functools import cache
from itertools import islice
from pathlib import Path

from compiler_core.processes import run_within
from compiler_core.schedule.figures import processor

# Processors with this vulnerability gather slowly since it was mitigated.
_LEAKS = Path("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling")
# The option's names in gcc 12 and in later versions.
_GATHERS = ("-mtune-ctrl=use_gather", "-mtune-ctrl=use_gather_8parts")
_SECONDS = 2.0
# These passes would turn selects into branches: one condition that is tested twice into a branch
# around both selects, a value computed in part before a select into a branch for the rest, and a
# value that only one side reads into code on that side.
_NO_BRANCHES = ("-fno-thread-jumps", "-fno-tree-pre", "-fno-tree-sink")


@cache
def tuning_flags(compiler: str) -> tuple[str, ...]:
    """The flags for the compiler at this path, among them the first name of the gather tuning that
    it knows."""
    if Path(compiler).name != "gcc":
        return ()
    named = _GATHERS if gathers_quickly() else ()
    known = (flag for flag in named if _knows(compiler, flag))
    return (*_NO_BRANCHES, *islice(known, 1))


def gathers_quickly() -> bool:
    """Whether one gather of sixteen elements takes less time than sixteen loads of one: on Intel's
    processors. AMD's were not measured, and gcc uses no gathers for them."""
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
