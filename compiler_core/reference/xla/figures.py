"""XLA's figures for a compiled program."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from compiler_core.reference.xla import hlo, private, thunks, units
from compiler_core.report import CompilerSummary, Figure

_UNREAD = Figure(why="this version's executable could not be read")
_UNKNOWN = Figure(why="XLA does not report it")


def figures(compiled: Any, module: hlo.Module) -> CompilerSummary:
    """The figures of a jax.stages.Compiled; `module` is its optimized module."""
    kernels, launches, calls = _run(private.serialized(compiled), module)
    return CompilerSummary(
        "xla", Figure(1), Figure(0), kernels, launches, calls, _bytes(compiled), _peak(compiled)
    )


def of_all(graphs: Sequence[CompilerSummary], breaks: int) -> CompilerSummary:
    """The figures of a program of several graphs: the sums of their figures, and the largest peak
    of memory."""
    return CompilerSummary(
        "xla",
        Figure(len(graphs)),
        Figure(breaks),
        _joined(sum, (each.kernels for each in graphs)),
        _joined(sum, (each.launches for each in graphs)),
        _joined(sum, (each.library_calls for each in graphs)),
        _joined(sum, (each.bytes for each in graphs)),
        _joined(max, (each.peak_bytes for each in graphs)),
    )


def _joined(by: Callable[[Iterable[int]], int], figures: Iterable[Figure]) -> Figure:
    each = list(figures)
    unknown = next((figure for figure in each if figure.value is None), None)
    return unknown or Figure(by(f.value for f in each if f.value is not None))


def _run(executable: bytes, module: hlo.Module) -> tuple[Figure, Figure, Figure]:
    """The number of different kernels, of launches, and of library calls: of what is neither, XLA's
    copies, a launch is all that there is to count."""
    try:
        found = [t for t in thunks.thunks_of(executable) if t.kind not in thunks.CONTROL]
    except thunks.Unreadable:
        instructions = sum(unit.opcode not in thunks.CONTROL for unit in units.units(module))
        return _UNREAD, Figure(instructions), _UNREAD
    own = {each.kernel for each in found if each.kind == thunks.KERNEL}
    calls = sum(each.kind not in (thunks.KERNEL, "copy") for each in found)
    return Figure(len(own)), Figure(len(found)), Figure(calls)


def _bytes(compiled: Any) -> Figure:
    accessed = private.costs(compiled).get("bytes accessed", -1.0)
    return Figure(int(accessed)) if accessed >= 0 else _UNKNOWN


def _peak(compiled: Any) -> Figure:
    stats = private.memory(compiled)
    if stats is None:
        return _UNKNOWN
    results = stats.output_size_in_bytes - stats.alias_size_in_bytes
    return Figure(stats.temp_size_in_bytes + results)
