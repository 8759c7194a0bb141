"""What XLA came to, as numbers, of a compiled program."""

from typing import Any

from compiler_core.reference.xla import hlo, private, thunks, units
from compiler_core.report import CompilerSummary, Figure

_UNREAD = Figure(why="this version's executable could not be read")
_UNTOLD = Figure(why="XLA does not say")
# Thunks, and instructions, that run others.
_CONTROL = frozenset(("while", "conditional", "call"))
# How XLA's thunks that run what it generated are called.
_KERNEL = "kernel"


def figures(compiled: Any, module: hlo.Module) -> CompilerSummary:
    """`module` is the one that code was made of."""
    launched = sum(unit.opcode not in _CONTROL for unit in units.units(module))
    kernels, calls = _run(private.serialized(compiled))
    return CompilerSummary(
        "xla", Figure(1), Figure(0), kernels, Figure(launched), calls,
        _bytes(compiled), _peak(compiled),
    )  # fmt: skip


def _run(executable: bytes) -> tuple[Figure, Figure]:
    """Different kernels, and calls of what XLA did not generate."""
    try:
        found = thunks.thunks_of(executable)
    except thunks.Unreadable:
        return _UNREAD, _UNREAD
    own = {each.kernel for each in found if each.kind == _KERNEL}
    calls = sum(each.kind not in {_KERNEL, "copy", *_CONTROL} for each in found)
    return Figure(len(own)), Figure(calls)


def _bytes(compiled: Any) -> Figure:
    told = private.costs(compiled).get("bytes accessed", -1.0)
    return Figure(int(told)) if told >= 0 else _UNTOLD


def _peak(compiled: Any) -> Figure:
    told = private.memory(compiled)
    if told is None:
        return _UNTOLD
    results = told.output_size_in_bytes - told.alias_size_in_bytes
    return Figure(told.temp_size_in_bytes + results)
