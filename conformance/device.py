"""The device that samples run on: the CPU, or what `--device` says.

It is handed to the processes that judge in their environment, since a unit is of a database, not of
a machine."""

import os
from typing import cast

from compiler_core import report

_VARIABLE = "FUSELAB_CONFORMANCE_DEVICE"


def device() -> report.DeviceChoice:
    """ "cpu" or "cuda"."""
    return cast(report.DeviceChoice, os.environ.get(_VARIABLE, "cpu"))


def use(name: str) -> None:
    """Makes `name` the device of this process, and of those that it starts from now on."""
    os.environ[_VARIABLE] = name
