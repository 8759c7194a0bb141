"""Symbolic sizes: whether every backend can leave them symbolic, and the calls that test it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from compiler_core import report
from compiler_core.backends.backend import Backend
from compiler_core.capture.captured import Captured
from compiler_core.ir.sizes import MOST, Symbol, Undecided
from compiler_core.ir.substitute import at_hint, symbols_of
from compiler_core.pipeline.one_graph import plan_of
from compiler_core.snippet.program import FoundProgram, input_specs
from compiler_core.snippet.tensors import SEED

_LEAVE_OPEN = "Let the program not ask for that size, or expect one compilation for each."
_ONE_GRAPH = "Mend the graph breaks, where there are any, or expect one compilation for each size."

# How much larger one of the other sizes is than the captured one: odd with respect to what
# schedules are made for.
_MORE = 29


def settled(
    captured: Captured, backends: Iterable[Backend], overrides: Sequence[report.Override]
) -> Captured:
    """`captured` with its symbols if every backend can print a program that serves all of their
    values; else with the sizes of the captured call and the reason."""
    if not captured.sizes:
        return captured
    try:
        for backend in backends:
            # Raises Undecided where something is asked that depends on a size.
            backend.emit(plan_of(captured.whole.graph, backend, overrides))
    except Undecided as question:
        whole = replace(captured.whole, graph=at_hint(captured.whole.graph))
        return replace(captured, graphs=(whole,), sizes=(), specialised=question.message)
    return captured


def sizes_sentence(captured: Captured, name: str) -> str:
    """A sentence for the user on which sizes are symbolic and which are not; "" if none was meant
    to vary."""
    if captured.sizes:
        each = ", ".join(map(_served, symbols_of(captured.whole.graph)))
        fixed = f"; {captured.specialised}" if captured.specialised else ""
        return f"{name} is compiled once for every {each}{fixed}"
    if captured.specialised and captured.graphs:
        return f"{name} is compiled for the sizes of this call alone: {captured.specialised}"
    return ""


def why_fixed(captured: Captured, program: FoundProgram) -> list[report.Finding]:
    """The core's entry of the why-list where sizes that were marked as dynamic were compiled as
    constants: which, why, and the remedy. [] where all stayed symbolic."""
    if not captured.specialised or not captured.graphs:
        return []
    what = (
        f"{program.name} is compiled for the sizes of this call alone"
        if not captured.sizes
        else f"{program.name} is compiled for a part of the sizes that may come"
        if captured.sizes == program.sizes
        else "some sizes that may vary are compiled as numbers"
    )
    why, line = captured.specialised, captured.asked_on or program.line
    remedy = _LEAVE_OPEN if captured.session is None else _ONE_GRAPH
    return [report.Finding("specialised", "core", what, why, remedy, line)]


def _served(symbol: Symbol) -> str:
    """`B (32 in this call) from 2 on`, `B (32 in this call) from 2 to 64`."""
    of = f" that is a multiple of {symbol.multiple}" if symbol.multiple > 1 else ""
    # The largest multiple that an index can be is no bound of the program's own.
    open_ = symbol.high is None or symbol.high > MOST - symbol.multiple
    to = "on" if open_ else f"to {symbol.high}"
    return f"{symbol} ({symbol.hint} in this call) from {symbol.low} {to}{of}"


def varying_specs(program: FoundProgram, captured: Captured) -> list[str]:
    """The inputs as specs, with the names of those sizes that are symbols."""
    left = {name for own in captured.sizes for name in own}
    sizes = tuple(tuple(n if n in left else "" for n in own) for own in program.sizes)
    return input_specs(replace(program, sizes=sizes if any(left) else ()))


def other_calls(captured: Captured) -> Iterator[tuple[dict[Symbol, int], tuple[Any, ...]]]:
    """Two further sets of values for the symbols, with arguments of these sizes."""
    symbols = symbols_of(captured.whole.graph) if captured.sizes else ()
    least = {symbol: symbol.low for symbol in symbols}
    more = {symbol: _more(symbol) for symbol in symbols}
    for sizes in (least, more) if symbols else ():
        yield sizes, _arguments(captured, sizes)


def _more(symbol: Symbol) -> int:
    more = symbol.hint + _MORE * symbol.multiple
    return more if symbol.high is None else min(more, symbol.high - symbol.high % symbol.multiple)


def _arguments(captured: Captured, sizes: Mapping[Symbol, int]) -> tuple[Any, ...]:
    by_name = {symbol.name: size for symbol, size in sizes.items()}
    generator = np.random.default_rng(SEED)
    drawn = captured.fresh(SEED)
    # An argument that is there twice is the same one again.
    same: dict[int, Any] = {}
    for original, x, names in zip(captured.arguments, drawn, captured.sizes, strict=False):
        if id(original) not in same:
            same[id(original)] = _of_sizes(x, names, by_name, generator)
    own = captured.arguments[: len(captured.sizes)]
    return (*(same[id(x)] for x in own), *captured.arguments[len(own) :])


def _of_sizes(
    x: Any, names: Sequence[str], sizes: Mapping[str, int], generator: np.random.Generator
) -> Any:
    """`x` with other sizes. Its elements are drawn from its own: an index stays in range, and a
    probability one."""
    if not any(names):
        return x
    shape = tuple(sizes.get(name, size) for name, size in zip(names, x.shape, strict=False))
    # A complex number has one more dimension, of its two parts.
    parts = x.shape[len(names) :]
    elements = x.reshape(-1, *parts)
    places = generator.integers(0, max(1, len(elements)), math.prod(shape))
    return elements[places].reshape(*shape, *parts)
