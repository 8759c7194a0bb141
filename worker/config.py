"""The worker's own settings, from the environment like all others.

FUSELAB_DEADLINE    seconds that a run may take, default 60
FUSELAB_MEMORY_MB   memory that a run may use, default 4096
FUSELAB_CPU_SECONDS processor time that a run may use, default the deadline on every processor
FUSELAB_RUNS        runs at a time in one worker, before their first IR and after it, default 2
FUSELAB_PARKED      runs that may stand still in one worker after their first IR, default 100
FUSELAB_WARM_UP     seconds that the compiler's server may take to start, default 120
FUSELAB_CGROUP      a folder of control groups (cgroup v2) in which each run has one, default none
FUSELAB_PROBE       0: a processor of which nothing is recorded is not measured, default 1
FUSELAB_WARM_TOOLCHAINS  toolchains that are kept warm beside the worker's own, default 1
"""

from dataclasses import dataclass
from pathlib import Path

from compiler_core.environments import FOLDER, ROOT
from webapp.environment import flag, number, text
from worker.sandbox.limits import MIB, Limits
from worker.sandbox.server import PIPELINE

FIGURES = ROOT / "var" / "figures.json"
# A snippet that any worker can run in a moment.
TINY = """\
import torch


def f(x):
    return x + 1


f(torch.ones(4))
"""


@dataclass(frozen=True)
class Config:
    """The settings of one worker process."""

    limits: Limits
    runs: int
    warm_up_s: int
    warm_toolchains: int = 1
    parked: int = 100
    # No run begins that might have to stand still while less of the memory is free.
    memory_kept: float = 0.25
    # The compiler's module as the sandbox knows it, and folders that it is looked for in.
    entry: str = PIPELINE
    extra: tuple[Path, ...] = ()
    # What is run now and then to see whether runs go through.
    tiny: str = TINY
    # A folder of environments beside the main one.
    toolchains: Path = FOLDER
    # Where the figures of this processor are, and are written where nothing is recorded of it; None
    # where it is not measured.
    figures: Path | None = None
    # A folder of control groups that was handed to the worker; None: runs have none.
    cgroup: Path | None = None

    @property
    def visibility_s(self) -> int:
        """Seconds after which Redis gives an unacknowledged task to another worker: longer than any
        live worker needs for one.

        A run waits until the server is warm, computes until its deadline, and waits at most as long
        again for the lease of the device."""
        return self.warm_up_s + 2 * int(self.limits.deadline_s) + 1


def config() -> Config:
    """The settings of this process. Raises ImproperlyConfigured for unusable values."""
    limits = Limits(
        deadline_s=number("FUSELAB_DEADLINE", 60),
        memory_bytes=number("FUSELAB_MEMORY_MB", 4096) * MIB,
        cpu_s=number("FUSELAB_CPU_SECONDS", 0),
    )
    return Config(
        limits,
        number("FUSELAB_RUNS", 2),
        number("FUSELAB_WARM_UP", 120),
        number("FUSELAB_WARM_TOOLCHAINS", 1),
        number("FUSELAB_PARKED", 100),
        figures=FIGURES if flag("FUSELAB_PROBE", True) else None,
        cgroup=Path(folder) if (folder := text("FUSELAB_CGROUP", "")) else None,
    )
