"""Which backend runs programs on a device, and which one shows a target. A new backend is a row."""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core import toolchain
from compiler_core.backends.backend import Backend
from compiler_core.backends.cpu import Cpu
from compiler_core.backends.gpu import Gpu
from compiler_core.errors import NoDevice, Unsupported
from compiler_core.report import NO_TARGET, Device
from compiler_core.schedule.targets import TARGETS, own_target, resolve


@dataclass(frozen=True)
class DeviceKind:
    """A kind of device on which programs run. `describe` raises NoDevice if the device cannot be
    used; `is_there` says whether `auto` may choose it. `memory` is torch's device type for its
    tensors; `in_tf32`: frameworks may multiply f32 there with ten bits of mantissa."""

    backend: Callable[[], Backend]
    describe: Callable[[], Device]
    is_there: Callable[[], bool]
    memory: str
    in_tf32: bool = False

    @property
    def is_host(self) -> bool:
        """Whether its tensors are in the memory that Python reads."""
        return self.memory == "cpu"


def _gpu() -> Device:
    """This machine's GPU. Raises NoDevice where it cannot be used, or is of another kind than those
    that kernels are compiled for."""
    device = toolchain.gpu()
    if own_target() is None:
        raise NoDevice(
            f"kernels are compiled for {', '.join(TARGETS)}, and {device.name} is none of these, or"
            " its driver's management library (NVML) does not describe it",
            remedy="choose the device cpu: Triton is compiled for the target all the same",
        )
    return device


def _has_gpu() -> bool:
    return toolchain.has_gpu() and own_target() is not None


# By device of the options, in the order in which `auto` takes them: that of report.DEVICES,
# backwards.
RUNS: dict[str, DeviceKind] = {
    "cuda": DeviceKind(lambda: Gpu(resolve("auto")), _gpu, _has_gpu, memory="cuda", in_tf32=True),
    "cpu": DeviceKind(Cpu, toolchain.cpu, lambda: True, memory="cpu"),
}

# By resolved target of the options: a function of the target, and of a name if the plan is to have
# another than its backend's.
SHOWS: dict[str, Callable[..., Backend]] = dict.fromkeys(TARGETS, Gpu)


def running(device: str) -> Backend:
    """The backend that runs programs on `device`. Raises Unsupported if there is none."""
    return kind(device).backend()


def kind(device: str) -> DeviceKind:
    """The row for a device of the options. Raises Unsupported if there is none."""
    if device not in RUNS:
        raise Unsupported(
            f"there are no kernels for tensors on {device}",
            remedy=f"move them to one of {', '.join(RUNS)}",
        )
    return RUNS[device]


def device_in(memory: str) -> str:
    """The device whose tensors are on torch's devices of a type; that type if there is none, which
    `kind` refuses."""
    found = (device for device, kind in RUNS.items() if kind.memory == memory)
    return next(found, memory)


def last_resort() -> str:
    """The device that is always available, which `auto` chooses last."""
    return list(RUNS)[-1]


def chosen(choice: str) -> str:
    """The device that a value of the option stands for."""
    if choice != "auto":
        return choice
    return next(device for device, kind in RUNS.items() if kind.is_there())


def backends(device: str, target: str) -> tuple[Backend, ...]:
    """The backend that runs programs on `device`, then the one that shows `target` if that is
    another."""
    here = running(device)
    if target == NO_TARGET:
        return (here,)
    machine = resolve(target)
    make = SHOWS[machine.name]
    shown = make(machine)
    if shown == here:
        return (here,)
    # This machine's own GPU, and another one.
    return (
        here,
        make(machine, f"{shown.name} {shown.target}") if shown.name == here.name else shown,
    )
