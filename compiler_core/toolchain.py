"""The versions and devices of this machine, for a report."""

import os
import platform
import shutil
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from compiler_core.environments import PACKAGES
from compiler_core.errors import NoDevice, sentence_of
from compiler_core.report import Device

_NO_GPU = (
    "choose the device auto or cpu; the target alone says which GPU Triton is compiled for, and "
    "needs none"
)


@cache
def toolchain() -> dict[str, str]:
    """Names and versions: the packages, Python and the C compiler."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    found["cc"] = _compiler()
    return found


def _compiler() -> str:
    path = shutil.which("gcc") or shutil.which("cc")
    if path is None:
        return "not installed"
    try:
        done = subprocess.run(
            [path, "-dumpfullversion"], capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.TimeoutExpired):
        return "does not run"
    return f"gcc {done.stdout.strip()}"


@cache
def cpu_name() -> str:
    """The processor's name, or its architecture if the machine does not report a name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def cpu() -> Device:
    """The processor, with the number of cores that this process may use."""
    return Device("cpu", cpu_name(), len(os.sched_getaffinity(0)))


def gpu() -> Device:
    """This machine's GPU. Raises NoDevice if it cannot be used."""
    import torch

    if not torch.cuda.is_available():
        raise NoDevice("this machine has no GPU that PyTorch can use", remedy=_NO_GPU)
    try:
        return Device("cuda", torch.cuda.get_device_name(0), 1)
    except RuntimeError as error:  # another process may hold it alone, or its driver be broken
        raise NoDevice(f"the GPU cannot be used: {sentence_of(error)}", remedy=_NO_GPU) from None


def has_gpu() -> bool:
    """Whether PyTorch finds a GPU, usable or not."""
    import torch

    return torch.cuda.is_available()
