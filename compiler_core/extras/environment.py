"""The environment of an extra compiler, if it is installed; `make toolchain NAME=iree` creates
it."""

from pathlib import Path

from compiler_core import environments


def python_of(name: str) -> Path | None:
    """The interpreter of the extra's environment; None if it is not installed."""
    found = environments.installed().get(name)
    return found.python if found else None


def absent(name: str, title: str) -> str:
    """The sentence for an extra that is not installed."""
    return f"{title} is not installed here: make toolchain NAME={name}"
