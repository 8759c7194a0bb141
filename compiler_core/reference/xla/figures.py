"""XLA's figures for a compiled program."""

from typing import Any

from compiler_core.reference.xla import hlo, private, thunks, units
from compiler_core.report import CompilerSummary, Figure

_UNREAD = Figure(why="this version's executable could not be read")
_UNKNOWN = Figure(why="XLA does not report it")
# Kinds of thunks, and opcodes of instructions, that run others.
_CONTROL = frozenset(("while", "conditional", "call"))
# The kind of the thunks that run generated kernels.
_KERNEL = "kernel"


def figures(compiled: Any, module: hlo.Module) -> CompilerSummary:
    """The figures of a jax.stages.Compiled; `module` is its optimized module."""
    launched = sum(unit.opcode not in _CONTROL for unit in units.units(module))
    kernels, calls = _run(private.serialized(compiled))
    return CompilerSummary(
        "xla", Figure(1), Figure(0), kernels, Figure(launched), calls,
        _bytes(compiled), _peak(compiled),
    )  # fmt: skip


def _run(executable: bytes) -> tuple[Figure, Figure]:
    """The number of different kernels, and of library calls."""
    try:
        found = thunks.thunks_of(executable)
    except thunks.Unreadable:
        return _UNREAD, _UNREAD
    own = {each.kernel for each in found if each.kind == _KERNEL}
    calls = sum(each.kind not in {_KERNEL, "copy", *_CONTROL} for each in found)
    return Figure(len(own)), Figure(calls)


def _bytes(compiled: Any) -> Figure:
    accessed = private.costs(compiled).get("bytes accessed", -1.0)
    return Figure(int(accessed)) if accessed >= 0 else _UNKNOWN


def _peak(compiled: Any) -> Figure:
    stats = private.memory(compiled)
    if stats is None:
        return _UNKNOWN
    results = stats.output_size_in_bytes - stats.alias_size_in_bytes
    return Figure(stats.temp_size_in_bytes + results)
