"""What of this machine runs are given."""

from pathlib import Path
from typing import NamedTuple

from compiler_core.environments import FOLDER
from worker.accelerators import Accelerator
from worker.sandbox.groups import Groups


class Equipment(NamedTuple):
    """Devices, environments of other versions in a folder, and what makes a control group for each
    run; None where there is none."""

    accelerators: tuple[Accelerator, ...] = ()
    toolchains: Path = FOLDER
    groups: Groups | None = None


PLAIN = Equipment()
