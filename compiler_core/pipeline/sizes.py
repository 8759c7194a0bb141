"""Symbolic sizes: whether every backend can leave them symbolic, and the calls that test it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compiler_core.backends.backend import Backend
from compiler_core.capture.captured import Captured
from compiler_core.fuse.groups import fuse
from compiler_core.inputs import InputSpec
from compiler_core.interop.names import name_of
from compiler_core.ir.graph import Graph
from compiler_core.ir.sizes import Symbol, Undecided
from compiler_core.ir.substitute import at_hint, symbols_of
from compiler_core.passes.order import PASSES
from compiler_core.passes.recording import run_pass
from compiler_core.plan.build import build_plan, values_of
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.tensors import maker

# Beside the captured call: the least size, and one that is odd to what the schedules are made for.
_MORE = 29


def settled(captured: Captured, backends: Iterable[Backend]) -> Captured:
    """`captured` with its symbols if every backend can print a program for all of their values,
    else with the sizes of the captured call and the reason."""
    if not captured.sizes:
        return captured
    try:
        for backend in backends:
            _try(captured.whole.graph, backend)
    except Undecided as question:
        whole = replace(captured.whole, graph=at_hint(captured.whole.graph))
        return replace(captured, graphs=(whole,), sizes=(), specialised=question.message)
    return captured


def _try(graph: Graph, backend: Backend) -> None:
    """Raises Undecided where something is asked that depends on a size."""
    for each in PASSES:
        graph, _ = run_pass(graph, each)
    backend.emit(build_plan(fuse(values_of(graph), backend.model), backend.choose))


def said(captured: Captured, name: str) -> str:
    """A sentence for the user about which sizes are symbolic and which are not; "" if none was to
    vary."""
    if captured.sizes:
        each = ", ".join(map(_served, symbols_of(captured.whole.graph)))
        fixed = f"; {captured.specialised}" if captured.specialised else ""
        return f"{name} is compiled once for every {each}{fixed}"
    if captured.specialised:
        return f"{name} is compiled for the sizes of this call alone: {captured.specialised}"
    return ""


def _served(symbol: Symbol) -> str:
    """`B (32 in this call) from 2 on`."""
    of = f" that is a multiple of {symbol.multiple}" if symbol.multiple > 1 else ""
    return f"{symbol} ({symbol.hint} in this call) from {symbol.low} on{of}"


def other_calls(
    program: FoundProgram, captured: Captured, device: str
) -> Iterator[tuple[dict[Symbol, int], tuple[Any, ...]]]:
    """Two more sets of values of the symbols, with arguments of these sizes."""
    symbols = symbols_of(captured.whole.graph) if captured.sizes else ()
    least = {symbol: symbol.low for symbol in symbols}
    more = {symbol: symbol.hint + _MORE * symbol.multiple for symbol in symbols}
    for sizes in (least, more) if symbols else ():
        yield sizes, _arguments(program, captured, sizes, device)


def _arguments(
    program: FoundProgram, captured: Captured, sizes: Mapping[Symbol, int], device: str
) -> tuple[Any, ...]:
    by_name = {symbol.name: size for symbol, size in sizes.items()}
    own = zip(captured.arguments, captured.sizes, strict=False)
    specs = [_spec(x, names, by_name) for x, names in own]
    tensors = tuple(map(maker(program.framework, device), specs))
    # An argument that is there twice is the same one again.
    same = {id(x): new for x, new in zip(captured.arguments, tensors, strict=False)}
    given = captured.arguments[: len(specs)]
    return (*(same[id(x)] for x in given), *captured.arguments[len(specs) :])


def _spec(x: Any, names: Sequence[str], sizes: Mapping[str, int]) -> InputSpec:
    names = names or ("",) * len(x.shape)
    shape = tuple(sizes.get(name, size) for name, size in zip(names, x.shape, strict=True))
    return InputSpec(name_of(x.dtype) or "", shape)
