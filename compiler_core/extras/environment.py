"""The environment of an extra compiler, which `make toolchain NAME=iree` creates."""

from pathlib import Path

from compiler_core import environments


def python_of(name: str) -> Path | None:
    """The path of the environment's Python interpreter; None if it is not installed."""
    found = environments.installed().get(name)
    return found.python if found else None


def absent(name: str, title: str) -> str:
    """The sentence that a compiler is not installed, with the command that installs it."""
    return f"{title} is not installed here: make toolchain NAME={name}"
