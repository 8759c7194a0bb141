"""Which backend runs programs on a device, and which one shows a target. A new backend is a row."""

from collections.abc import Callable

from compiler_core.backends.backend import Backend
from compiler_core.backends.cpu import Cpu
from compiler_core.backends.gpu import Gpu
from compiler_core.errors import Unsupported
from compiler_core.schedule.targets import TARGETS, resolve

# By device of the options, once resolved: "cpu", "cuda".
RUNS: dict[str, Callable[[], Backend]] = {
    "cpu": Cpu,
    "cuda": lambda: Gpu(resolve("auto")),
}

# By target of the options, once resolved: takes the target, and a name if its plan is to have
# another.
SHOWS: dict[str, Callable[..., Backend]] = dict.fromkeys(TARGETS, Gpu)


def running(device: str) -> Backend:
    """The backend that runs programs on `device`. Raises Unsupported if there is none."""
    if device not in RUNS:
        raise Unsupported(f"there are no kernels for tensors on {device}")
    return RUNS[device]()


def backends(device: str, target: str) -> tuple[Backend, ...]:
    """The backend that runs programs on `device`, then the one that shows `target` if that is
    another."""
    machine = resolve(target)
    make = SHOWS[machine.name]
    here, shown = running(device), make(machine)
    if shown == here:
        return (here,)
    # This machine's own GPU, and another one.
    return (
        here,
        make(machine, f"{shown.name} {shown.target}") if shown.name == here.name else shown,
    )
