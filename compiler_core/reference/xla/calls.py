"""Calls from a program to what XLA does not compile: to Python, and to libraries for operations
that XLA has no kernel for."""

import re
from collections.abc import Iterator

from msgspec import structs

from compiler_core import report
from compiler_core.reference.xla import hlo, units
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.shapes import bytes_of

_TARGET = re.compile(r'custom_call_target="([^"]*)"')
# Part of the name of a call that runs Python (jaxlib's xla_ffi_python_cpu_callback and its kin).
_PYTHON = "python"


def findings(places: ModulePlaces) -> Iterator[report.Finding]:
    """An entry of the why-list for each call of a library or of Python."""
    for unit in units.units(places.module):
        if target := _TARGET.search(unit.rest):
            yield _finding(unit, target[1], places)


def _finding(unit: hlo.Instruction, target: str, places: ModulePlaces) -> report.Finding:
    name = unit.op_name.rsplit("/", 1)[-1] or unit.name
    found = (_python if _PYTHON in target else _library)(name, target)
    line, nodes = places.line(unit), places.all_ids(unit)
    return structs.replace(found, line=line, nodes=nodes, bytes=bytes_of(unit.type), raw=target)


def _python(name: str, target: str) -> report.Finding:
    return report.Finding(
        "host sync",
        "xla",
        f"Python runs in the middle of the program: {name}",
        why="the compiled program stops there, gives its values to Python and waits for it",
        remedy="return the value and use it outside, or take the callback out of what is timed",
    )


def _library(name: str, target: str) -> report.Finding:
    return report.Finding(
        "library call",
        "xla",
        f"{name} is run by a library, {target}",
        why="XLA has no kernel of its own for it, and nothing is fused into such a call",
    )
