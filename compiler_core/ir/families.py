"""One table of what the files of a room say: every room of meanings has a file for each family."""

from importlib import import_module
from typing import Any

from compiler_core.ir.ops import FAMILIES


def collect(room: str, table: str) -> dict[str, Any]:
    """By operation, the rows of the dictionaries called `table` in the files of the package `room`;
    a family may have none. Raises ModuleNotFoundError where a family has no file."""
    files = (import_module(f"{room}.{family}") for family in FAMILIES)
    return {op: row for file in files for op, row in getattr(file, table, {}).items()}
