"""TorchInductor's figures: counted in the modules that it writes, or from its scheduler's nodes."""

import re
from collections.abc import Sequence

from compiler_core.reference.inductor import memory, output_code
from compiler_core.reference.inductor.records import Compiled, Lowered, Phase
from compiler_core.report import BY_DYNAMO, CompilerSummary, Figure, in_a_look
from compiler_core.report import Phase as ReportedPhase

_ME = "inductor"
_UNCOUNTED = in_a_look(": tick TorchInductor under Look inside")
_OF_ANOTHER_MODE = in_a_look(", which is of the snippet's own mode")
_SYMBOLS = Figure(why="its buffers have sizes that vary")
_LIBRARY = re.compile(r"\b(?:extern_kernels|torch\.ops)\.[\w.]+\(")


def of_texts(texts: Sequence[str], one_graph: bool, mode: str = "") -> CompilerSummary:
    """The figures of a program from the modules that Inductor wrote for it in a mode, one for each
    graph; forward and backward graph count as two. `one_graph`: the program was captured as one
    graph; TorchDynamo may break it even so, where a text is printed that contains no tensor."""
    unbroken = one_graph and len(texts) < 2
    called = [output_code.calls(text) for text in texts]
    kernels = [{*output_code.parsed(text).kernels} for text in texts]
    launches = sum(_launches(*each) for each in zip(called, kernels, strict=True))
    calls = sum(len(_LIBRARY.findall(line)) for lines in called for line in lines)
    return CompilerSummary(
        _ME, Figure(len(texts)), Figure(0) if unbroken else BY_DYNAMO,
        Figure(sum(map(len, kernels))), Figure(launches + calls), Figure(calls),
        _OF_ANOTHER_MODE if mode else _UNCOUNTED, _peak(called),
    )  # fmt: skip


def _launches(lines: Sequence[str], kernels: set[str]) -> int:
    names = [re.match(r"(\w+)(?:\.run)?\(", line) for line in lines]
    return sum(found is not None and found[1] in kernels for found in names)


def _peak(called: Sequence[Sequence[str]]) -> Figure:
    values = [memory.lifetimes(lines) for lines in called]
    if any(value.bytes is None for each in values for value in each):
        return _SYMBOLS
    return Figure(max(map(memory.peak, values), default=0))


def of_look(compiled: Sequence[Compiled], phases: Sequence[Phase]) -> CompilerSummary:
    """The figures of a recorded compilation, with its outermost phases."""
    lowered = [each for graph in compiled for each in graph.lowered]
    counted = of_texts([each.text for each in lowered], one_graph=len(compiled) == 1)
    outer = [ReportedPhase(phase.name, phase.ms) for phase in phases if phase.depth == 0]
    return CompilerSummary(
        _ME, Figure(len(compiled)), counted.breaks, counted.kernels, counted.launches,
        counted.library_calls,
        Figure(sum(map(_bytes, lowered))), counted.peak_bytes, outer,
    )  # fmt: skip


def _bytes(lowered: Lowered) -> int:
    return sum(unit.bytes_read + unit.bytes_written for unit in lowered.after)
