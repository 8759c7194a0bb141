"""Collecting one table from the files of a package: each package that gives operations a meaning
has one file for each family of operations."""

from importlib import import_module
from typing import Any

from compiler_core.ir.ops import FAMILIES


def collect(room: str, table: str) -> dict[str, Any]:
    """Merges the dictionaries named `table` (operation name -> row) from the family files of the
    package `room`; a family may have none. Raises ModuleNotFoundError if a family has no file."""
    files = (import_module(f"{room}.{family}") for family in FAMILIES)
    return {op: row for file in files for op, row in getattr(file, table, {}).items()}
