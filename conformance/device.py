"""The device that samples run on: the CPU, or what `--device` says.

It is handed to the processes that judge in their environment, since a unit is of a database, not of
a machine."""

import os

_VARIABLE = "FUSELAB_CONFORMANCE_DEVICE"


def device() -> str:
    """ "cpu" or "cuda"."""
    return os.environ.get(_VARIABLE, "cpu")


def use(name: str) -> None:
    """Makes `name` the device of this process, and of those that it starts from now on."""
    os.environ[_VARIABLE] = name
