"""The accelerators of this machine, and what a sandbox needs to use them. A kind of device is a row
here, and one in compiler_core/backends/registry.py. No framework is asked: importing torch would
cost 400 MB."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Accelerator:
    """A kind of device. `present` matches a file that exists on machines with such devices;
    `shared` the files that a program needs to use them, and `read` the folders that it reads.
    `models` are files with the device's name after the key `Model`, and `unnamed` is its name if
    they are missing. Files are glob patterns relative to the root."""

    present: str
    shared: str
    read: tuple[str, ...]
    models: str
    unnamed: str

    @property
    def is_there(self) -> bool:
        """Whether this machine has such a device."""
        return bool(_files(self.present))

    @property
    def model(self) -> str:
        """The device's name."""
        return value_in(_files(self.models), "Model") or self.unnamed

    @property
    def files(self) -> list[Path]:
        """The files that a sandbox has to contain."""
        return _files(self.shared)


# By device of the options.
ACCELERATORS: dict[str, Accelerator] = {
    "cuda": Accelerator(
        present="dev/nvidia[0-9]*",
        shared="dev/nvidia*",
        read=("/sys/bus/pci", "/sys/devices", "/sys/module/nvidia"),
        models="proc/driver/nvidia/gpus/*/information",
        unnamed="NVIDIA GPU",
    ),
}


def present() -> dict[str, Accelerator]:
    """The accelerators of this machine, by device."""
    return {name: each for name, each in ACCELERATORS.items() if each.is_there}


def models(accelerators: Mapping[str, Accelerator]) -> dict[str, str]:
    """The accelerators' names, by device."""
    return {name: each.model for name, each in accelerators.items()}


def value_in(files: list[Path], key: str) -> str | None:
    """The text after `key:` in the first line that has it."""
    for file in files:
        for line in file.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == key:
                return value.strip()
    return None


def _files(pattern: str) -> list[Path]:
    return sorted(Path("/").glob(pattern))
