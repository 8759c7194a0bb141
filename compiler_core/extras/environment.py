"""The environment of an extra, if it is installed: `make toolchain NAME=iree` makes it."""

from pathlib import Path

from compiler_core import environments


def python_of(name: str) -> Path | None:
    """The interpreter of the extra's environment; None where it is not installed."""
    found = environments.installed().get(name)
    return found.python if found else None


def absent(name: str, title: str) -> str:
    """What is said where an extra is not installed."""
    return f"{title} is not installed here: make toolchain NAME={name}"
